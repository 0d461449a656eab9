//! The generated table against itself, against libc's numbers and against the lists of the specification.

use std::collections::BTreeSet;

use super::*;

/// What this version traces.
const TRACED: &str = "
    open openat openat2 creat close close_range read pread64 readv preadv preadv2 write pwrite64 writev pwritev pwritev2
    lseek newstat newlstat newfstat newfstatat statx statfs fstatfs access faccessat faccessat2 getdents getdents64
    getcwd chdir fchdir mkdir mkdirat rmdir unlink unlinkat rename renameat renameat2 link linkat symlink symlinkat
    readlink readlinkat chmod fchmod fchmodat chown fchown lchown fchownat utimensat truncate ftruncate fallocate
    fadvise64 fsync fdatasync sync syncfs sync_file_range msync mmap munmap dup dup2 dup3 fcntl ioctl flock pipe pipe2
    socket sendto recvfrom sendmsg recvmsg sendfile64 copy_file_range splice tee execve execveat exit exit_group
    io_uring_setup io_uring_enter io_uring_register io_setup io_submit io_getevents io_destroy eventfd2 epoll_create1
    inotify_init1 memfd_create";

const READ: &str = "
    read pread64 readv preadv preadv2 getdents getdents64 readlink readlinkat getcwd getrandom getxattr getxattrat
    lgetxattr fgetxattr listxattr listxattrat llistxattr flistxattr recvfrom recvmsg mq_timedreceive msgrcv
    process_vm_readv";
const WRITE: &str = "write pwrite64 writev pwritev pwritev2 sendto sendmsg process_vm_writev";
const TRANSFER: &str = "copy_file_range sendfile64 splice tee vmsplice";

fn words(text: &str) -> BTreeSet<&str> {
    text.split_whitespace().collect()
}

fn named(wanted: impl Fn(&Syscall) -> bool) -> BTreeSet<&'static str> {
    SYSCALLS
        .iter()
        .filter(|s| wanted(s))
        .map(|s| s.name)
        .collect()
}

#[test]
fn names_are_sorted_and_unique() {
    assert!(SYSCALLS.is_sorted_by(|a, b| a.name < b.name));
}

#[test]
fn every_syscall_is_found_by_its_name_and_by_its_number() {
    for syscall in SYSCALLS {
        assert_eq!(by_name(syscall.name), Some(syscall));
        assert_eq!(by_nr(syscall.nr), Some(syscall));
    }
    assert_eq!(by_name("no_such_call"), None);
    assert_eq!(by_nr(511), None);
    assert_eq!(by_nr(u16::MAX), None);
}

#[test]
fn the_traced_syscalls_are_those_of_the_specification() {
    assert_eq!(named(|s| s.default), words(TRACED));
    assert_eq!(named(|s| s.ignored.is_none()), words(TRACED));
}

#[test]
fn the_byte_classes_are_those_of_the_specification() {
    assert_eq!(
        named(|s| matches!(s.bytes, ByteClass::Read | ByteClass::Receive)),
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
    let f_pos = named(|s| s.roles.offset_is_f_pos);
    assert_eq!(f_pos, words("read readv write writev"));
    let by_pointer = named(|s| s.roles.flags_by_pointer);
    assert_eq!(by_pointer, words("openat2"));
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

#[cfg(target_arch = "x86_64")]
#[test]
fn numbers_are_those_of_libc() {
    for &(name, number) in numbers::NUMBERS {
        let syscall = by_name(name).unwrap();
        assert_eq!(libc::c_long::from(syscall.nr), number, "{name}");
    }
    let covered: BTreeSet<&str> = numbers::NUMBERS.iter().map(|n| n.0).collect();
    let missing = named(|s| !covered.contains(s.name));
    assert_eq!(missing, numbers::NO_NUMBER.iter().copied().collect());
}
