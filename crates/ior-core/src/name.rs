//! How a file's name is put together: path arguments, dentry walks and the objects that have no path.
//!
//! Names are bytes. Every function replaces the content of its `out`, so one buffer serves any number of rows.

/// Magic numbers of the kernel's own file systems, as `statfs(2)` gives them (include/uapi/linux/magic.h).
mod magic {
    pub const PIPEFS: u64 = 0x5049_5045;
    pub const SOCKFS: u64 = 0x534F_434B;
    pub const ANON_INODE_FS: u64 = 0x0904_1934;
    pub const PIDFS: u64 = 0x5049_4446;
    pub const NSFS: u64 = 0x6e73_6673;
}

/// The name a path argument means: `name` itself if it is absolute, else `dir`, a slash and `name`.
///
/// Repeated slashes and `.` components are dropped (`/a//b/./c/.` is `/a/b/c`); `..` is kept, since only the kernel
/// knows where it leads, and so is one trailing slash. An empty `name` names nothing and stays empty. Where `dir` is
/// unknown (empty), a relative name stays relative.
pub fn join(dir: &[u8], name: &[u8], out: &mut Vec<u8>) {
    out.clear();
    if name.is_empty() {
        return;
    }
    if name[0] != b'/' {
        push_collapsed(dir, out);
        if !out.is_empty() && !out.ends_with(b"/") {
            out.push(b'/');
        }
    }
    let start = out.len();
    push_collapsed(name, out);
    if out.len() == start && out.len() > 1 {
        out.pop(); // `name` was `.`: the directory itself, without the slash that was to separate them
    }
    if out.is_empty() {
        out.push(b'.');
    }
}

/// What is left of a name below the directory that is its root: `..` does not lead out of that.
pub fn below_root(name: &[u8]) -> &[u8] {
    let mut rest = name;
    loop {
        let slashes = rest.iter().take_while(|&&byte| byte == b'/').count();
        rest = &rest[slashes..];
        let end = rest.iter().position(|&byte| byte == b'/');
        match &rest[..end.unwrap_or(rest.len())] {
            [] => return b".",
            b"." | b".." => rest = &rest[end.unwrap_or(rest.len())..],
            _ => return rest,
        }
    }
}

/// Whether a relative name has more `..` at any place than components before it, and so may lead out of its directory.
pub fn climbs(name: &[u8]) -> bool {
    let mut depth = 0;
    name.split(|&byte| byte == b'/').any(|component| {
        depth += match component {
            b"" | b"." => 0,
            b".." => -1,
            _ => 1,
        };
        depth < 0
    })
}

/// Appends `path` without repeated slashes and `.` components.
fn push_collapsed(path: &[u8], out: &mut Vec<u8>) {
    let absolute = path.starts_with(b"/");
    let start = out.len();
    if absolute {
        out.push(b'/');
    }
    let mut components = path.split(|&byte| byte == b'/').peekable();
    while let Some(component) = components.next() {
        if component.is_empty() || component == b"." {
            continue;
        }
        out.extend_from_slice(component);
        if components.peek().is_some() {
            out.push(b'/');
        }
    }
    let names_its_last_component = path.ends_with(b"/.");
    if names_its_last_component && out.len() > start + 1 && out.ends_with(b"/") {
        out.pop();
    }
}

/// The absolute path whose components, last one first, are `leaf_first`; `/` if there are none. Empty components are skipped.
pub fn kernel_path<'a>(leaf_first: impl IntoIterator<Item = &'a [u8]>, out: &mut Vec<u8>) {
    out.clear();
    for component in leaf_first.into_iter().filter(|c| !c.is_empty()) {
        out.extend(component.iter().rev());
        out.push(b'/');
    }
    if out.is_empty() {
        out.push(b'/');
    }
    out.reverse();
}

/// The name of a kernel object that has no path, as `/proc/PID/fd` shows it: `pipe:[ino]`, `socket:[ino]`,
/// `anon_inode:[eventfd]`, `nsfs:[ino]`, `memfd:name`.
///
/// `magic` is the superblock's (`s_magic`), `dentry_name` the name of the object's own dentry. Returns false, with `out`
/// empty, if the object is of no such kind and has a path. A file called `memfd:…` on a mounted tmpfs cannot be told from
/// a memory file by these three: ask only for objects whose dentry is its own parent.
pub fn object_name(magic: u64, ino: u64, dentry_name: &[u8], out: &mut Vec<u8>) -> bool {
    out.clear();
    match magic {
        magic::PIPEFS => numbered(b"pipe", ino, out),
        magic::SOCKFS => numbered(b"socket", ino, out),
        // The programs send the kind of namespace where the kernel has no name.
        magic::NSFS if matches!(dentry_name, b"" | b"/") => numbered(b"nsfs", ino, out),
        magic::NSFS => numbered(dentry_name, ino, out),
        magic::PIDFS => out.extend_from_slice(b"anon_inode:[pidfd]"),
        magic::ANON_INODE_FS => {
            out.extend_from_slice(b"anon_inode:");
            out.extend_from_slice(dentry_name);
        }
        _ if dentry_name.starts_with(b"memfd:") => out.extend_from_slice(dentry_name),
        _ => return false,
    }
    true
}

/// Appends `kind:[ino]`.
fn numbered(kind: &[u8], ino: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(kind);
    out.extend_from_slice(b":[");
    let first_digit = out.len();
    let mut rest = ino;
    loop {
        out.push(b'0' + (rest % 10) as u8);
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out[first_digit..].reverse();
    out.push(b']');
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn joined(dir: &str, name: &str) -> String {
        let mut out = b"left over".to_vec();
        join(dir.as_bytes(), name.as_bytes(), &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn two_dots_do_not_lead_out_of_a_root() {
        for (name, expected) in [
            ("/etc/f", "etc/f"),
            ("//../.././etc/../f", "etc/../f"),
            ("..", "."),
            ("/", "."),
            ("/..", "."),
            ("..a/b", "..a/b"),
            ("a/", "a/"),
        ] {
            assert_eq!(below_root(name.as_bytes()), expected.as_bytes(), "{name}");
        }
        let climbing = ["..", "../a", "a/../..", "a/./..//../b", "./.."];
        assert!(climbing.iter().all(|name| climbs(name.as_bytes())));
        let inside = ["", ".", "a", "a/..", "a/b/../..", "..a", "a/.../b"];
        assert!(!inside.iter().any(|name| climbs(name.as_bytes())));
    }

    #[test]
    fn absolute_names_stand_alone_and_relative_ones_are_joined() {
        for (dir, name, expected) in [
            ("/home/u", "/etc/passwd", "/etc/passwd"),
            ("/home/u", "a/b", "/home/u/a/b"),
            ("/home/u/", "a", "/home/u/a"),
            ("/", "a", "/a"),
            ("/home/u", "../v", "/home/u/../v"),
            ("/home/u", "..", "/home/u/.."),
            ("/home/u", ".", "/home/u"),
            ("/home/u", "./", "/home/u"),
            ("/", ".", "/"),
            ("/home/u", "./a", "/home/u/a"),
            ("/home/u", "a/", "/home/u/a/"),
            ("/home/u", "a//", "/home/u/a/"),
            ("/home/u", "a/.", "/home/u/a"),
            ("/home/u", "a/./", "/home/u/a/"),
            ("/home/u", ".hidden/..x", "/home/u/.hidden/..x"),
            ("/home/u", "//a///b/././c", "/a/b/c"),
            ("/home/u", "/", "/"),
            ("/home/u", "/.", "/"),
            ("/home/u", "", ""),
            ("", "a/b", "a/b"),
            ("", "./a", "a"),
            ("", ".", "."),
        ] {
            assert_eq!(joined(dir, name), expected, "{dir:?} + {name:?}");
        }
    }

    #[test]
    fn a_dentry_walk_becomes_a_path() {
        let mut out = b"left over".to_vec();
        kernel_path([&b"c"[..], b"bb", b"", b"a"], &mut out);
        assert_eq!(out, b"/a/bb/c");
        kernel_path([], &mut out);
        assert_eq!(out, b"/");
    }

    #[test]
    fn objects_are_named_as_proc_names_them() {
        let name = |magic, ino, dentry: &[u8]| {
            let mut out = Vec::new();
            let named = object_name(magic, ino, dentry, &mut out);
            (named, String::from_utf8(out).unwrap())
        };
        assert_eq!(name(magic::PIPEFS, 0, b""), (true, "pipe:[0]".into()));
        assert_eq!(
            name(magic::PIPEFS, 90_817, b""),
            (true, "pipe:[90817]".into())
        );
        assert_eq!(
            name(magic::SOCKFS, u64::MAX, b""),
            (true, format!("socket:[{}]", u64::MAX))
        );
        assert_eq!(
            name(magic::ANON_INODE_FS, 9, b"[eventfd]"),
            (true, "anon_inode:[eventfd]".into())
        );
        assert_eq!(
            name(magic::ANON_INODE_FS, 9, b"inotify"),
            (true, "anon_inode:inotify".into())
        );
        assert_eq!(
            name(magic::PIDFS, 9, b""),
            (true, "anon_inode:[pidfd]".into())
        );
        assert_eq!(
            name(magic::NSFS, 4_026_531_840, b""),
            (true, "nsfs:[4026531840]".into())
        );
        assert_eq!(name(magic::NSFS, 1, b"mnt"), (true, "mnt:[1]".into()));
        assert_eq!(
            name(0x0102_1994, 3, b"memfd:x/y"),
            (true, "memfd:x/y".into())
        );
        assert_eq!(name(0xEF53, 3, b"passwd"), (false, String::new()));
    }

    fn components(path: &[u8]) -> Vec<&[u8]> {
        path.split(|&b| b == b'/')
            .filter(|c| !c.is_empty() && *c != b".")
            .collect()
    }

    proptest! {
        #[test]
        fn joining_keeps_every_component_and_nothing_else(dir in "/[a./]{0,12}", name in "[ab./]{1,16}") {
            let out = joined(&dir, &name);
            let mut expected = if name.starts_with('/') { vec![] } else { components(dir.as_bytes()) };
            expected.extend(components(name.as_bytes()));
            prop_assert_eq!(components(out.as_bytes()), expected);
            prop_assert!(out.starts_with('/'));
            prop_assert!(!out.contains("//") && !out.contains("/./") && !out.ends_with("/."), "{}", out);
            prop_assert_eq!(joined("", &out), out);
        }

        #[test]
        fn any_bytes_can_be_joined(dir: Vec<u8>, name: Vec<u8>) {
            let mut out = Vec::new();
            join(&dir, &name, &mut out);
            prop_assert_eq!(out.is_empty(), name.is_empty());
        }
    }
}
