//! The scope of the command line in words, for the line of facts.

use std::fs;

use ior_bpf::Scope;
use ior_core::escape;

/// Who is traced. Processes and threads have the names they have now.
pub fn named(scope: &Scope) -> String {
    if *scope == Scope::default() {
        return "all processes".to_owned();
    }
    let mut parts = Vec::new();
    parts.extend(scope.pids.iter().map(|pid| task("process", *pid)));
    parts.extend(scope.tids.iter().map(|tid| task("thread", *tid)));
    parts.extend(
        scope
            .comms
            .iter()
            .map(|comm| format!("comm {}", text(comm))),
    );
    parts.extend(scope.uids.iter().map(|uid| format!("uid {uid}")));
    let cgroups = scope.cgroups.iter();
    parts.extend(
        cgroups.map(|path| format!("cgroup {}", text(path.as_os_str().as_encoded_bytes()))),
    );
    if scope.follow {
        parts.push("children".to_owned());
    }
    parts.join(", ")
}

fn task(what: &str, id: u32) -> String {
    match fs::read(format!("/proc/{id}/comm")) {
        Ok(name) => format!("{what} {id} ({})", text(name.trim_ascii_end())),
        Err(_) => format!("{what} {id}"),
    }
}

fn text(bytes: &[u8]) -> String {
    escape::terminal(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_says_everything_it_is_made_of() {
        assert_eq!(named(&Scope::default()), "all processes");
        let own = std::process::id();
        let comm = fs::read_to_string("/proc/self/comm").unwrap();
        let scope = Scope {
            pids: vec![own, 4_194_303],
            tids: vec![],
            follow: true,
            comms: vec![b"a\x1bb".to_vec()],
            uids: vec![0],
            cgroups: vec!["/sys/fs/cgroup/x".into()],
        };
        let own = format!("process {own} ({})", comm.trim_end());
        assert_eq!(
            named(&scope),
            format!(
                r"{own}, process 4194303, comm a\x1bb, uid 0, cgroup /sys/fs/cgroup/x, children"
            )
        );
    }
}
