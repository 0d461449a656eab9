//! Futexes and the memory of another process.

mod memory;

use libc::{EAGAIN, EFAULT, EINVAL, ENOSYS, ESRCH, ETIMEDOUT, FUTEX_CMP_REQUEUE as CMP_REQUEUE};
use libc::{
    FUTEX_WAIT as WAIT, FUTEX_WAKE as WAKE, MAP_ANONYMOUS, MAP_SHARED, PROT_READ, PROT_WRITE,
};

use super::polling::wait_until_asleep;
use super::{Scenario, of_all};
use crate::args;
use crate::sys::{self, *};
use crate::tape::Tape;

/// The scenarios of this module.
pub const SCENARIOS: &[Scenario] = &[
    of_all("futex_alone", alone),
    of_all("futex2_alone", futex2_alone),
    of_all("futex_wakes_another", wakes_another),
    of_all("robust_list", robust_list),
    of_all("memory_of_self", memory::of_self),
    of_all("memory_of_another", memory::of_another),
];

/// More than any process or thread id.
const NOBODY: i32 = i32::MAX;
/// A word of 32 bits, for the calls with flags of their own.
const FUTEX2_SIZE_U32: i32 = 2;

/// A page that children share, all zero.
fn shared_page(t: &mut Tape) -> i64 {
    t.outside(|_| {
        let (prot, flags) = (PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS);
        let page = call(MMAP.nr, args![0, 4096, prot, flags, -1, 0]);
        assert!(page > 0, "mmap: {page}");
        page
    })
}

/// `futex` without a partner.
fn alone(t: &mut Tape) {
    let word = [1u32, 0];
    t.bare(FUTEX, args![&word, WAKE, 1]).is(0);
    t.bare(FUTEX, args![&word, WAIT, 2, 0]).fails(EAGAIN);
    t.bare(FUTEX, args![&word, WAIT, 1, &[0i64, 1_000_000]])
        .fails(ETIMEDOUT);
    t.bare(FUTEX, args![&word, WAIT, 1, &[-1i64, 0]])
        .fails(EINVAL);
    t.bare(FUTEX, args![&word, WAIT, 1, 8]).fails(EFAULT);
    t.bare(FUTEX, args![8, WAIT, 1, 0]).fails(EFAULT);
    t.bare(FUTEX, args![9, WAKE, 1]).fails(EINVAL);
    t.bare(FUTEX, args![&word, 99, 1]).fails(ENOSYS);
}

/// One `struct futex_waitv`: value, address, flags.
fn waited(value: u64, address: usize) -> [u64; 3] {
    [value, address as u64, FUTEX2_SIZE_U32 as u64]
}

/// `futex_wait`, `futex_wake`, `futex_requeue`, `futex_waitv` without a partner.
fn futex2_alone(t: &mut Tape) {
    let size = FUTEX2_SIZE_U32;
    let words = [1u32, 1];
    let address = words.as_ptr() as usize;
    t.bare(FUTEX_WAKE, args![&words, u32::MAX, 1, size]).is(0);
    t.bare(FUTEX_WAKE, args![&words, u32::MAX, 1, 1 << 20])
        .fails(EINVAL);
    t.bare(FUTEX_WAIT, args![&words, 2, u32::MAX, size, 0, 0])
        .fails(EAGAIN);
    t.bare(FUTEX_WAIT, args![&words, 1, u32::MAX, size, &[1i64, 0], 1])
        .fails(ETIMEDOUT);
    t.bare(FUTEX_WAIT, args![&words, 1, u32::MAX, 1 << 20, 0, 0])
        .fails(EINVAL);
    let pair = [waited(1, address), waited(1, address + 4)];
    t.bare(FUTEX_REQUEUE, args![&pair, 0, 1, 1]).is(0);
    t.bare(FUTEX_REQUEUE, args![8, 0, 1, 1]).fails(EFAULT);
    t.bare(FUTEX_REQUEUE, args![&pair, 1, 1, 1]).fails(EINVAL);
    let changed = [waited(1, address), waited(3, address + 4)];
    t.bare(FUTEX_WAITV, args![&changed, 2, 0, 0, 0])
        .fails(EAGAIN);
    t.bare(FUTEX_WAITV, args![&pair, 2, 0, &[1i64, 0], 1])
        .fails(ETIMEDOUT);
    t.bare(FUTEX_WAITV, args![&pair, 0, 0, 0, 0]).fails(EINVAL);
    t.bare(FUTEX_WAITV, args![8, 1, 0, 0, 0]).fails(EFAULT);
}

/// A child waits by each of the calls until it is woken; once it is moved to another word before.
fn wakes_another(t: &mut Tape) {
    let page = shared_page(t);
    let size = FUTEX2_SIZE_U32;
    let second = page + 4;
    let child = t.outside(|t| {
        t.child(|t| {
            t.bare(FUTEX, args![page, WAIT, 0, 0]).is(0);
            t.bare(FUTEX_WAIT, args![page, 0, u32::MAX, size, 0, 0])
                .is(0);
            let both = [waited(0, page as usize), waited(0, second as usize)];
            t.bare(FUTEX_WAITV, args![&both, 2, 0, 0, 0]).is(1);
            t.bare(FUTEX, args![page, WAIT, 0, 0]).is(0);
            t.bare(FUTEX_WAIT, args![page, 0, u32::MAX, size, 0, 0])
                .is(0);
        })
    });
    let asleep_in = |t: &mut Tape, sys| t.outside(|_| wait_until_asleep(child, sys));
    asleep_in(t, FUTEX);
    t.bare(FUTEX, args![page, WAKE, 1]).is(1);
    asleep_in(t, FUTEX_WAIT);
    t.bare(FUTEX_WAKE, args![page, u32::MAX, 1, size]).is(1);
    asleep_in(t, FUTEX_WAITV);
    t.bare(FUTEX_WAKE, args![second, u32::MAX, 1, size]).is(1);
    asleep_in(t, FUTEX);
    t.bare(FUTEX, args![page, CMP_REQUEUE, 0, 1, second, 0])
        .is(1);
    t.bare(FUTEX, args![page, WAKE, 1]).is(0);
    t.bare(FUTEX, args![second, WAKE, 1]).is(1);
    asleep_in(t, FUTEX_WAIT);
    let both = [waited(0, page as usize), waited(0, second as usize)];
    t.bare(FUTEX_REQUEUE, args![&both, 0, 0, 1]).is(1);
    t.bare(FUTEX_WAKE, args![second, u32::MAX, 1, size]).is(1);
    t.outside(|_| assert_eq!(sys::wait(child), 0, "exit status"));
}

const LIST_SIZE: usize = 24;

/// `get_robust_list` and `set_robust_list`, which is given what it was.
fn robust_list(t: &mut Tape) {
    let (head, size) = (&mut [0i64], &mut [0u64]);
    t.bare(GET_ROBUST_LIST, args![0, &mut *head, &mut *size])
        .is(0);
    t.bare(SET_ROBUST_LIST, args![head[0], LIST_SIZE]).is(0);
    t.bare(SET_ROBUST_LIST, args![head[0], LIST_SIZE + 1])
        .fails(EINVAL);
    t.bare(GET_ROBUST_LIST, args![t.ids().1, &mut *head, &mut *size])
        .is(0);
    t.bare(GET_ROBUST_LIST, args![NOBODY, &mut *head, &mut *size])
        .fails(ESRCH);
    t.bare(GET_ROBUST_LIST, args![0, 8, &mut *size])
        .fails(EFAULT);
}
