//! Values as they were passed, or none.

use super::session::{Values, def, row, session};
use crate::skeleton::types::{self, row_note};

const UNREAD: u32 = row_note::NOTE_UNREAD.0;
const F_POS: u32 = row_note::NOTE_F_POS.0;

/// What a row of the call on a regular file says.
fn values(name: &str, ret: i64, change: impl FnOnce(&mut types::row)) -> Values {
    let mut s = session();
    s.file(def(5), &["f"]);
    let mut row = row(name, 3, ret, 5);
    change(&mut row);
    s.values(&row)
}

#[test]
fn any_number_of_bytes_can_be_asked_for() {
    let read = values("read", -14, |row| row.count = u64::MAX);
    assert_eq!(read.requested, Some(u64::MAX));
    let readv = values("readv", -22, |row| row.count = u64::MAX);
    assert_eq!(readv.requested, Some(u64::MAX));
    let unread = values("readv", -14, |row| row.notes = UNREAD);
    assert_eq!(unread.requested, None);
}

#[test]
fn unknown_sizes_do_not_change_the_payload() {
    let received = |notes| {
        values("recvmsg", 20, |row| {
            (row.count, row.flags, row.notes) = (8, 0x20, notes);
        })
    };
    assert_eq!((received(0).bytes, received(0).requested), (8, Some(8)));
    assert_eq!(
        (received(UNREAD).bytes, received(UNREAD).requested),
        (20, None)
    );
    // The size of a probe can be told late, but not shown.
    let probed = |count| {
        values("getxattrat", 6, |row| {
            (row.count, row.notes) = (count, UNREAD);
        })
    };
    assert_eq!((probed(0).bytes, probed(0).requested), (0, None));
    assert_eq!((probed(9).bytes, probed(9).requested), (6, None));
}

#[test]
fn flags_are_as_wide_as_they_were_passed() {
    let flags = |name, value, notes| {
        let values = values(name, -22, |row| {
            (row.flags, row.notes) = (value, notes);
        });
        values.flags
    };
    assert_eq!(flags("clone3", 1 << 32, 0), Some(1 << 32));
    assert_eq!(flags("clone3", 0, UNREAD), None);
    assert_eq!(flags("mprotect", u64::MAX, 0), Some(u64::MAX));
    // Of an `int` the upper half of the register is anything.
    assert_eq!(flags("fcntl", 7 << 32 | 3, 0), Some(3));
    assert_eq!(flags("getpid", 3, 0), None);
}

#[test]
fn the_file_s_own_position_is_that_of_files_that_have_one() {
    let offset = |mode, notes| {
        let mut s = session();
        s.file(types::file_def { mode, ..def(5) }, &["f"]);
        let row = types::row {
            offset: 70,
            notes,
            ..row("preadv2", 3, 10, 5)
        };
        s.values(&row).offset
    };
    let (regular, pipe) = (0o100_644, 0o010_644);
    assert_eq!(offset(regular, F_POS), Some(70));
    assert_eq!(offset(pipe, F_POS), None);
    assert_eq!(offset(pipe, 0), Some(70));
}

#[test]
fn what_is_appended_has_no_position() {
    let offset = |name, offset: i64, flags, notes| {
        let values = values(name, 3, |row| {
            (row.offset, row.flags, row.notes) = (offset, flags, notes);
        });
        values.offset
    };
    let opened_to_append = |position: i64| !position;
    assert_eq!(offset("write", 70, 0, 0), Some(70));
    assert_eq!(offset("write", opened_to_append(70), 0, 0), None);
    assert_eq!(offset("writev", opened_to_append(0), 0, 0), None);
    assert_eq!(offset("read", opened_to_append(70), 0, 0), Some(70));
    assert_eq!(offset("pwritev2", opened_to_append(70), 0, F_POS), None);
    assert_eq!(offset("preadv2", opened_to_append(70), 0, F_POS), Some(70));
    let append = 0x10;
    assert_eq!(offset("pwritev2", 70, append, 0), None);
    assert_eq!(offset("pwritev2", 70, 0, 0), Some(70));
}
