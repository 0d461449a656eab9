//! The generated table against itself, against libc's numbers and against the lists of the specification.

use std::collections::BTreeSet;

use super::*;

/// What is traced by default beside the families FS and AIO: what moves a file's bytes, or makes, duplicates or passes
/// descriptors, and what was asked for from the start.
const DEFAULT_OUTSIDE_FILES: &str = "
    accept accept4 epoll_create epoll_create1 eventfd eventfd2 execve execveat exit exit_group memfd_create
    memfd_secret mmap mq_open mq_timedreceive mq_timedsend mremap msync munmap perf_event_open pidfd_getfd
    pidfd_open pipe pipe2 recvfrom recvmmsg recvmsg sendmmsg sendmsg sendto signalfd signalfd4 socket socketpair
    timerfd_create userfaultfd";

const READ: &str = "
    read pread64 readv preadv preadv2 getdents getdents64 readlink readlinkat getcwd getrandom getxattr getxattrat
    lgetxattr fgetxattr listxattr listxattrat llistxattr flistxattr recvfrom recvmsg mq_timedreceive msgrcv
    process_vm_readv";
const WRITE: &str = "write pwrite64 writev pwritev pwritev2 sendto sendmsg process_vm_writev";
const TRANSFER: &str = "copy_file_range sendfile64 splice tee vmsplice";

fn words(text: &str) -> BTreeSet<&str> {
    text.split_whitespace().collect()
}

/// Names of the machine's own calls.
fn named(wanted: impl Fn(&Syscall) -> bool) -> BTreeSet<&'static str> {
    SYSCALLS
        .iter()
        .filter(|s| s.abi == Abi::X86_64 && wanted(s))
        .map(|s| s.name)
        .collect()
}

#[test]
fn names_are_sorted_and_unique() {
    let key = |syscall: &Syscall| (syscall.name, syscall.abi == Abi::Ia32);
    assert!(SYSCALLS.is_sorted_by(|a, b| key(a) < key(b)));
    for pair in SYSCALLS.windows(2) {
        assert_eq!(pair[0].name == pair[1].name, pair[0].slot == pair[1].slot);
    }
    assert!(
        SYSCALLS
            .iter()
            .all(|syscall| usize::from(syscall.slot) < MAX_SLOT)
    );
}

#[test]
fn every_syscall_is_found_by_its_name_and_by_its_number() {
    for syscall in SYSCALLS {
        let of_that_name = by_name(syscall.name).unwrap();
        assert_eq!(of_that_name.name, syscall.name);
        assert!(of_that_name.abi == Abi::X86_64 || of_that_name == syscall);
        assert_eq!(by_call(syscall.call()), Some(syscall));
    }
    assert_eq!(by_name("no_such_call"), None);
    assert_eq!(by_call(511), None);
    assert_eq!(by_call(u16::MAX), None);
}

#[test]
fn a_32_bit_call_is_not_the_64_bit_one_of_its_number() {
    let call = |call| by_call(call).map(|syscall| (syscall.name, syscall.abi));
    assert_eq!(call(20), Some(("writev", Abi::X86_64)));
    assert_eq!(call(MAX_NR as u16 + 20), Some(("getpid", Abi::Ia32)));
    assert_eq!(call(MAX_NR as u16 + 192), Some(("mmap2", Abi::Ia32)));
}

#[test]
fn every_syscall_can_be_traced() {
    assert_eq!(named(|s| s.ignored.is_some()), BTreeSet::new());
    assert_eq!(named(|_| true).len(), 368);
}

#[test]
fn the_default_is_all_file_io() {
    let files = |s: &Syscall| matches!(s.family, Family::Fs | Family::Aio);
    assert_eq!(named(|s| files(s) && !s.default), BTreeSet::new());
    assert_eq!(
        named(|s| !files(s) && s.default),
        words(DEFAULT_OUTSIDE_FILES)
    );
}

#[test]
fn the_byte_classes_are_those_of_the_specification() {
    assert_eq!(
        named(|s| matches!(
            s.bytes,
            ByteClass::Read | ByteClass::Receive | ByteClass::Xattr
        )),
        words(READ)
    );
    assert_eq!(named(|s| s.bytes == ByteClass::Write), words(WRITE));
    assert_eq!(named(|s| s.bytes == ByteClass::Transfer), words(TRANSFER));
    assert_eq!(
        named(|s| s.bytes == ByteClass::Receive),
        words("recvfrom recvmsg")
    );
}

#[test]
fn two_name_and_two_descriptor_calls_put_the_destination_first() {
    let roles = |name| {
        let r = &by_name(name).unwrap().roles;
        (r.dir, r.path, r.dir2, r.path2, r.fd, r.fd2)
    };
    let none = NO_ARG;
    assert_eq!(roles("linkat"), (2, 3, 0, 1, none, none));
    assert_eq!(roles("symlinkat"), (1, 2, none, 0, none, none));
    assert_eq!(roles("rename"), (none, 1, none, 0, none, none));
    assert_eq!(roles("splice"), (none, none, none, none, 2, 0));
    assert_eq!(roles("sendfile64"), (none, none, none, none, 0, 1));
    assert_eq!(roles("tee"), (none, none, none, none, 1, 0));
}

#[test]
fn special_offsets_and_flags_are_marked() {
    let f_pos = named(|s| s.roles.offset_form == OffsetForm::FPos);
    assert_eq!(f_pos, words("read readv write writev"));
    let by_pointer = named(|s| s.roles.flags_form == FlagsForm::Pointer);
    assert_eq!(by_pointer, words("openat2 clone3"));
    let long = named(|s| s.roles.flags_form == FlagsForm::Long);
    for (name, is_long) in [
        ("mmap", true),
        ("mount", true),
        ("clone", true),
        ("openat", false),
        ("fcntl", false),
        ("ioctl", false),
    ] {
        assert_eq!(long.contains(name), is_long, "{name}");
    }
    let or_f_pos = named(|s| s.roles.offset_form.may_be_f_pos());
    assert_eq!(or_f_pos, words("preadv2 pwritev2"));
}

#[test]
fn codes_are_places() {
    for (place, kind) in Kind::ALL.iter().enumerate() {
        assert_eq!(usize::from(kind.code()), place);
    }
    for (place, class) in ByteClass::ALL.iter().enumerate() {
        assert_eq!(usize::from(class.code()), place);
    }
}

#[test]
fn numbers_are_those_of_libc() {
    for &(name, number, libc) in numbers::NUMBERS {
        assert_eq!(libc::c_long::from(number), libc, "{name}");
    }
    let compared = numbers::NUMBERS.iter().map(|number| number.0);
    let known: BTreeSet<&str> = compared.chain(numbers::NO_NUMBER.iter().copied()).collect();
    #[cfg(target_arch = "x86_64")]
    assert_eq!(named(|_| true), known);
    assert!(known.is_subset(&named(|_| true)));
}
