//! Names that are hard to read or to print: odd bytes, great length, pages never touched, mappings that end.

use libc::{AT_FDCWD, EFAULT, ENAMETOOLONG, ENOENT, MAP_ANONYMOUS, MAP_PRIVATE, O_CREAT, O_RDONLY};
use libc::{O_DIRECTORY, O_RDWR, PROT_READ, PROT_WRITE};

use super::c_full;
use crate::args;
use crate::sys::{self, *};
use crate::tape::Tape;

const PAGE: usize = 4096;
/// A fault maps the pages around it too (64 KiB by default): this far apart each page stays untouched.
const APART: usize = 32 * PAGE;

/// Names a terminal or a parser might trip over.
pub fn odd_names(t: &mut Tape) {
    let names: &[&[u8]] = &[
        b"new\nline",
        b"tab\tand\rreturn",
        b"say \"hi\"",
        b"it's",
        b"semi;colon,comma",
        b"back\\slash",
        b"literal \\xff",
        b" leading and trailing ",
        b"x (deleted)",
        b"pipe:[1]",
        b"-rf",
        "émoji 🦀".as_bytes(),
        "right\u{202e}left".as_bytes(),
        b"\x1b[31mred",
        b"invalid \xff\xfe utf-8",
        b"cut \xc3",
        b"surrogate \xed\xa0\x80",
        &[b'n'; 255],
        &[0xff; 255],
    ];
    for name in names {
        // Kernel-made names are recognized by their prefix, so these are stated in full.
        let full = [&t.dir[..], b"/", name].concat();
        let renamed = [&t.dir[..], b"/renamed-", &name[..name.len().min(200)]].concat();
        let (path, new_path) = (c_full(t, &full), c_full(t, &renamed));
        let fd = t
            .open(OPEN, &full, args![&path, O_CREAT | O_RDWR, 0o644])
            .ok() as i32;
        t.fd(WRITE, fd, &full, args![fd, b"odd", 3]).is(3);
        t.path(NEWSTAT, &full, args![&path, &mut [0u8; 256]]).is(0);
        t.two_paths(RENAME, &renamed, &full, args![&path, &new_path])
            .is(0);
        t.fd(CLOSE, fd, &renamed, args![fd]).is(0);
        t.path(UNLINK, &renamed, args![&new_path]).is(0);
        t.open(OPEN, &full, args![&path, O_RDONLY]).fails(ENOENT);
    }
    let too_long = c_full(t, [b'n'; 256]);
    t.open(OPEN, [b'n'; 256], args![&too_long, O_RDONLY])
        .fails(ENAMETOOLONG);
}

/// `//` and `/./` are collapsed, `..` is kept in a name passed.
pub fn collapsed(t: &mut Tape) {
    t.path(MKDIR, "d", args![c"d", 0o755]).is(0);
    t.path(ACCESS, "d", args![c"./d", 0]).is(0);
    t.path(ACCESS, "d/x", args![c".//.///d/./././x", 0])
        .fails(ENOENT);
    t.path(ACCESS, "d/../d/.x", args![c"d//../d/./.x", 0])
        .fails(ENOENT);
    t.path(ACCESS, "/no/such", args![c"//no/.//such", 0])
        .fails(ENOENT);
    t.path(ACCESS, "d/..x/.../y.", args![c"d/..x/.../y.", 0])
        .fails(ENOENT);
    let dir = t
        .open(OPEN, "d", args![c"./d/../d/.", O_RDONLY | O_DIRECTORY])
        .ok() as i32;
    t.path(FACCESSAT, "d/a/b", args![dir, c"./a//b", 0])
        .fails(ENOENT);
    t.fd(CLOSE, dir, "d", args![dir]).is(0);
}

/// Relative name of a file whose full name has exactly 4000 bytes, in components of 200 bytes.
fn long_name(t: &Tape) -> Vec<u8> {
    let mut name = Vec::new();
    let missing = |name: &[u8]| 4000 - t.dir.len() - 1 - name.len();
    while missing(&name) > 201 {
        name.extend([b'p'; 200]);
        name.push(b'/');
    }
    name.extend(vec![b'q'; missing(&name)]);
    assert_eq!(t.full(&name).len(), 4000);
    name
}

fn parent(name: &[u8]) -> &[u8] {
    &name[..name
        .iter()
        .rposition(|&byte| byte == b'/')
        .expect("a slash")]
}

/// Makes each directory of a name that ends in a slash or a file name.
fn make_parents(t: &Tape, name: &[u8]) {
    for (index, _) in name.iter().enumerate().filter(|(_, byte)| **byte == b'/') {
        let dir = c_full(t, &name[..index]);
        assert_eq!(sys::call(libc::SYS_mkdir, args![&dir, 0o755]), 0, "mkdir");
    }
}

/// The directories of [`long_path`], and two more below, past 4096 bytes.
pub fn make_long_path(t: &mut Tape) {
    let name = long_name(t);
    make_parents(t, &name);
    let mut dir = AT_FDCWD;
    let mut path = c_full(t, parent(&name));
    for _ in 0..3 {
        dir = sys::call(libc::SYS_openat, args![dir, &path, O_RDONLY | O_DIRECTORY]) as i32;
        assert!(dir >= 0, "open a directory: {dir}");
        path = std::ffi::CString::new([b'r'; 250]).expect("no NUL");
        assert_eq!(
            sys::call(libc::SYS_mkdirat, args![dir, &path, 0o755]),
            0,
            "mkdirat"
        );
    }
    t.kept.push(i64::from(dir));
}

/// A path of 4000 bytes, and one past the 4096 that are kept whole.
pub fn long_path(t: &mut Tape) {
    let name = long_name(t);
    let full = c_full(t, &name);
    let fd = t
        .open(OPEN, &name, args![&full, O_CREAT | O_RDWR, 0o644])
        .ok() as i32;
    t.fd(WRITE, fd, &name, args![fd, b"far", 3]).is(3);
    t.fd(CLOSE, fd, &name, args![fd]).is(0);
    t.path(NEWSTAT, &name, args![&full, &mut [0u8; 256]]).is(0);
    let mut missing = name.clone();
    *missing.last_mut().expect("not empty") = b'z';
    let full = c_full(t, &missing);
    t.open(OPEN, &missing, args![&full, O_RDONLY]).fails(ENOENT);
    let relative = std::ffi::CString::new(missing.clone()).expect("no NUL");
    t.open(OPENAT, &missing, args![AT_FDCWD, &relative, O_RDONLY])
        .fails(ENOENT);

    let dir = t.kept[0] as i32;
    let flags = O_CREAT | O_RDWR;
    let fd = t
        .open(OPENAT, "", args![dir, c"leaf", flags, 0o644])
        .partial(b"leaf")
        .ok() as i32;
    t.fd(WRITE, fd, "", args![fd, b"farther", 7])
        .partial(b"leaf")
        .is(7);
    t.fd(CLOSE, fd, "", args![fd]).partial(b"leaf").is(0);
    t.open(OPENAT, "", args![dir, c"absent", O_RDONLY])
        .partial(b"absent")
        .fails(ENOENT);
}

fn deep_name() -> Vec<u8> {
    [&b"d/".repeat(300)[..], b"file"].concat()
}

/// The directories of [`deep_path`].
pub fn make_deep_path(t: &mut Tape) {
    make_parents(t, &deep_name());
}

/// A path of 300 components.
pub fn deep_path(t: &mut Tape) {
    let name = deep_name();
    let path = std::ffi::CString::new(name.clone()).expect("no NUL");
    t.open(OPEN, &name, args![&path, O_RDONLY]).fails(ENOENT);
    let fd = t
        .open(OPEN, &name, args![&path, O_CREAT | O_RDWR, 0o644])
        .ok() as i32;
    t.fd(WRITE, fd, &name, args![fd, b"deep", 4]).is(4);
    t.fd(CLOSE, fd, &name, args![fd]).is(0);
    t.path(UNLINK, &name, args![&path]).is(0);
}

fn map(len: usize, fd: i32, flags: i32) -> usize {
    let prot = if fd < 0 {
        PROT_READ | PROT_WRITE
    } else {
        PROT_READ
    };
    let address = sys::call(libc::SYS_mmap, args![0, len, prot, flags, fd, 0]);
    assert!(address > 0, "mmap: {address}");
    address as usize
}

/// Maps a file that holds names in pages far apart, without ever reading it.
pub fn make_untouched_page(t: &mut Tape) {
    let names: [&[u8]; 6] = [
        b"present",
        b"absent",
        b"made",
        b"present",
        b"linked",
        b"no-program",
    ];
    let mut pages = vec![0u8; names.len() * APART];
    for (page, name) in pages.chunks_mut(APART).zip(names) {
        page[..name.len()].copy_from_slice(name);
    }
    std::fs::write("names", pages).expect("write names");
    std::fs::write("present", "x").expect("write present");
    let fd = sys::call(libc::SYS_openat, args![AT_FDCWD, c"names", O_RDONLY]) as i32;
    assert!(fd >= 0, "open names: {fd}");
    t.kept
        .push(map(names.len() * APART, fd, MAP_PRIVATE) as i64);
    t.kept
        .push(map(PAGE, -1, MAP_PRIVATE | MAP_ANONYMOUS) as i64);
}

/// The name lies in a page that only the kernel faults in, while the call runs.
pub fn untouched_page(t: &mut Tape) {
    let page = |t: &Tape, index: usize| t.kept[0] + (index * APART) as i64;
    let fd = t
        .open(OPENAT, "present", args![AT_FDCWD, page(t, 0), O_RDONLY])
        .ok() as i32;
    t.fd(CLOSE, fd, "present", args![fd]).is(0);
    t.path(
        NEWFSTATAT,
        "absent",
        args![AT_FDCWD, page(t, 1), &mut [0u8; 256], 0],
    )
    .fails(ENOENT);
    t.path(MKDIR, "made", args![page(t, 2), 0o755]).is(0);
    t.two_paths(LINK, "linked", "present", args![page(t, 3), page(t, 4)])
        .is(0);
    t.path(EXECVE, "no-program", args![page(t, 5), 0, 0])
        .fails(ENOENT);
    // A page of zeros: an empty name.
    t.open(OPEN, "", args![t.kept[1], O_RDONLY])
        .any_name()
        .fails(ENOENT);
}

/// The name's NUL is the last readable byte before an unmapped page.
pub fn edge_of_mapping(t: &mut Tape) {
    let end = t.outside(|_| {
        let start = map(3 * PAGE, -1, MAP_PRIVATE | MAP_ANONYMOUS);
        sys::call(libc::SYS_munmap, args![start + 2 * PAGE, PAGE]);
        start + 2 * PAGE
    });
    let place = |text: &[u8]| {
        sys::poke(end - text.len(), text);
        (end - text.len()) as i64
    };
    let fd = t
        .open(
            OPEN,
            "edge",
            args![place(b"edge\0"), O_CREAT | O_RDWR, 0o644],
        )
        .ok() as i32;
    t.fd(CLOSE, fd, "edge", args![fd]).is(0);
    t.path(ACCESS, "absent", args![place(b"absent\0"), libc::F_OK])
        .fails(ENOENT);
    t.path(UNLINK, "edge", args![place(b"edge\0")]).is(0);
    // Across the boundary between two mapped pages.
    let long = t.full([b'l'; 255]);
    let text = [&long[..], b"\0"].concat();
    sys::poke(end - PAGE - 100, &text);
    t.path(ACCESS, &long, args![end - PAGE - 100, libc::F_OK])
        .fails(ENOENT);
    // No NUL before the unmapped page.
    t.open(OPEN, "", args![place(b"endless"), O_RDONLY])
        .partial(b"")
        .fails(EFAULT);
}

/// Addresses that cannot be read, and a string without an end.
pub fn unreadable_path(t: &mut Tape) {
    t.open(OPEN, "", args![8, O_RDONLY])
        .partial(b"")
        .fails(EFAULT);
    t.path(NEWSTAT, "", args![0, &mut [0u8; 256]])
        .partial(b"")
        .fails(EFAULT);
    t.path(UNLINK, "", args![-1]).partial(b"").fails(EFAULT);
    t.path(EXECVE, "", args![8, 0, 0])
        .partial(b"")
        .fails(EFAULT);
    t.two_paths(RENAME, "", "", args![8, c"new"])
        .any_name()
        .fails(EFAULT);
    t.last().old_file = None;
    t.two_paths(RENAME, "", "old", args![c"old", 8])
        .partial(b"")
        .fails(EFAULT);
    let endless = [b'e'; 2 * PAGE];
    t.open(OPEN, "", args![&endless, O_RDONLY])
        .partial(b"")
        .fails(ENAMETOOLONG);
}

/// Maps a file that holds a name twice, for writing, without ever reading it; and makes links that lead to like names.
pub fn make_overwritten(t: &mut Tape) {
    let mut pages = vec![0u8; 2 * APART];
    for page in pages.chunks_mut(APART) {
        page[..6].copy_from_slice(b"like-1");
    }
    std::fs::write("pages", pages).expect("write pages");
    std::os::unix::fs::symlink("like-2", "like-1").expect("link");
    let long = |end: &str| format!("{}{end}", "l".repeat(150));
    std::os::unix::fs::symlink(long("2"), long("1")).expect("long link");
    let fd = sys::call(libc::SYS_openat, args![AT_FDCWD, c"pages", O_RDWR]) as i32;
    assert!(fd >= 0, "open pages: {fd}");
    let prot = PROT_READ | PROT_WRITE;
    let pages = sys::call(
        libc::SYS_mmap,
        args![0, 2 * APART, prot, MAP_PRIVATE, fd, 0],
    );
    assert!(pages > 0, "mmap: {pages}");
    t.kept.push(pages);
    t.kept
        .push(map(PAGE, -1, MAP_PRIVATE | MAP_ANONYMOUS) as i64);
}

/// The result is written over the name: what the row shows is the name that was passed, or that it is not known.
pub fn overwritten(t: &mut Tape) {
    let (pages, page) = (t.kept[0], t.kept[1]);
    sys::poke(page as usize, b"like-1\0");
    t.path(READLINK, "like-1", args![page, page, 100]).is(6);
    sys::poke(page as usize, b"like-1\0");
    t.path(READLINKAT, "like-1", args![AT_FDCWD, page, page, 100])
        .is(6);
    // Longer than what is kept of a name.
    let long = |end: &str| [&[b'l'; 150][..], end.as_bytes(), b"\0"].concat();
    sys::poke(page as usize, &long("1"));
    t.path(READLINK, "", args![page, page, 200])
        .partial(b"")
        .is(151);
    // In a page that only the kernel faults in, when it can be read no earlier than after the call.
    t.path(READLINK, "", args![pages, pages, 100])
        .partial(b"")
        .is(6);
    let other = pages + APART as i64;
    t.path(READLINK, "like-1", args![other, &mut [0u8; 100], 100])
        .is(6);
    sys::poke(page as usize, b"like-1\0");
    t.path(NEWLSTAT, "like-1", args![page, page]).is(0);
}
