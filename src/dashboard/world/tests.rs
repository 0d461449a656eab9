use super::*;

#[test]
fn a_name_may_have_brackets_and_spaces() {
    let line = b"12 (a) b (c) S 1 2 3 4 5 6 7 8 9 10 40 2 13 14 15 16 17 18 777 20\n";
    let stat = stat(line).unwrap();
    assert_eq!(stat.name, b"a) b (c");
    assert_eq!((stat.ticks, stat.start), (42, 777));
}

#[test]
fn of_several_names_of_a_user_the_first_counts() {
    let users = users("root:x:0:0::/root:/bin/sh\ntoor:x:0:0:::\nbroken\nmail:x:8:8:::\n");
    assert_eq!(users[&0], "root");
    assert_eq!(users[&8], "mail");
    assert_eq!(users.len(), 2);
}

#[test]
fn this_machine_has_processes_but_ours_is_not_among_them() {
    let mut machine = Machine::new(Temporaries::default());
    let processes = machine.processes();
    assert!(
        processes
            .iter()
            .all(|process| process.pid != std::process::id())
    );
    assert!(processes.is_sorted_by_key(|process| process.pid));
    let threads = machine.threads(std::process::id());
    assert!(
        threads
            .iter()
            .any(|thread| thread.tid == std::process::id())
    );
    assert!(machine.threads(u32::MAX).is_empty());
}
