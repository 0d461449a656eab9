//! From the bytes of a ring record to a plain struct: checked for length and type, never trusted.

use crate::skeleton::types;

/// A record type of shared.h. None has padding the kernel leaves unset, and any bytes are a valid value.
///
/// # Safety
/// Implement only for `repr(C)` structs of integers.
pub unsafe trait Record: Copy {}

// SAFETY: all of these are `repr(C)` structs of integers, generated from shared.h.
unsafe impl Record for types::row {}
// SAFETY: as above.
unsafe impl Record for types::named_row {}
// SAFETY: as above.
unsafe impl Record for types::file_def {}
// SAFETY: as above.
unsafe impl Record for types::task_def {}
// SAFETY: as above.
unsafe impl Record for types::task_gone {}
// SAFETY: as above.
unsafe impl Record for types::exec_name {}
// SAFETY: as above.
unsafe impl Record for types::in_flight {}

const _: () = {
    assert!(size_of::<types::row>() == 80);
    assert!(size_of::<types::named_row>() == 96);
    assert!(size_of::<types::file_def>() == 40);
    assert!(size_of::<types::task_def>() == 80);
    assert!(size_of::<types::task_gone>() == 16);
    assert!(size_of::<types::exec_name>() == 16);
    assert!(size_of::<types::in_flight>() == 48);
};

/// Splits a record off the front of `bytes`; `None` if there are too few.
pub fn split<T: Record>(bytes: &[u8]) -> Option<(T, &[u8])> {
    let (head, rest) = bytes.split_at_checked(size_of::<T>())?;
    // SAFETY: `head` has the size of T, T is a struct of integers, and the read does not ask for alignment.
    Some((unsafe { head.as_ptr().cast::<T>().read_unaligned() }, rest))
}

/// Whether what a pointer of the call leads to could not be read.
pub fn is_unread(row: &types::row) -> bool {
    row.notes & types::row_note::NOTE_UNREAD.0 != 0
}

/// The bytes of a record, for tests that play the kernel.
#[cfg(test)]
pub fn bytes_of<T: Record>(record: &T) -> Vec<u8> {
    let len = size_of::<T>();
    // SAFETY: a struct of integers without unset padding is readable as bytes.
    unsafe { std::slice::from_raw_parts(std::ptr::from_ref(record).cast::<u8>(), len) }.to_vec()
}

/// A thread's name without the NULs that fill its field.
pub fn comm(field: &[i8; 16]) -> Vec<u8> {
    field
        .iter()
        .map(|byte| byte.cast_unsigned())
        .take_while(|byte| *byte != 0)
        .collect()
}
