//! Scheduling: policies, priorities, processors.

use libc::{EBUSY, EFAULT, EINVAL, EPERM, ESRCH};

use super::{Scenario, of_all};
use crate::args;
use crate::sys::{self, *};
use crate::tape::Tape;

/// The scenarios of this module.
pub const SCENARIOS: &[Scenario] = &[
    of_all("policies", policies),
    of_all("priorities", priorities),
    of_all("processors", processors),
    of_all("restartable_sequences", restartable_sequences),
];

/// `sched_*` but for processors.
fn policies(t: &mut Tape) {
    t.apart(|t| {
        t.bare(SCHED_YIELD, &[]).is(0);
        t.bare(SCHED_GETSCHEDULER, args![0]).is(0);
        t.bare(SCHED_GETSCHEDULER, args![NO_PROCESS]).fails(ESRCH);
        t.bare(SCHED_SETSCHEDULER, args![0, libc::SCHED_BATCH, &[0i32]])
            .is(0);
        t.bare(SCHED_SETSCHEDULER, args![0, 99, &[0i32]])
            .fails(EINVAL);
        t.bare(SCHED_GETSCHEDULER, args![0])
            .is(i64::from(libc::SCHED_BATCH));
        t.bare(SCHED_GETPARAM, args![0, &mut [0i32]]).is(0);
        t.bare(SCHED_GETPARAM, args![0, 8]).fails(EFAULT);
        t.bare(SCHED_SETPARAM, args![0, &[0i32]]).is(0);
        t.bare(SCHED_SETPARAM, args![0, &[5i32]]).fails(EINVAL);
        let attributes = &mut [0u64; 6];
        t.bare(SCHED_GETATTR, args![0, &mut *attributes, 48, 0])
            .is(0);
        t.bare(SCHED_GETATTR, args![0, &mut *attributes, 1, 0])
            .fails(EINVAL);
        t.bare(SCHED_SETATTR, args![0, &*attributes, 0]).is(0);
        t.bare(SCHED_SETATTR, args![0, &*attributes, 1])
            .fails(EINVAL);
        let fifo = libc::SCHED_FIFO;
        t.bare(SCHED_GET_PRIORITY_MAX, args![fifo]).is(99);
        t.bare(SCHED_GET_PRIORITY_MAX, args![99]).fails(EINVAL);
        t.bare(SCHED_GET_PRIORITY_MIN, args![fifo]).is(1);
        t.bare(SCHED_GET_PRIORITY_MIN, args![99]).fails(EINVAL);
        t.bare(SCHED_RR_GET_INTERVAL, args![0, &mut [0i64; 2]])
            .is(0);
        t.bare(SCHED_RR_GET_INTERVAL, args![NO_PROCESS, &mut [0i64; 2]])
            .fails(ESRCH);
    });
}

/// Of the processor and of its disks.
fn priorities(t: &mut Tape) {
    const IOPRIO_WHO_PROCESS: i32 = 1;
    const BEST_EFFORT_6: i32 = 2 << 13 | 6;
    t.apart(|t| {
        let before = t.bare(GETPRIORITY, args![libc::PRIO_PROCESS, 0]).ok();
        t.bare(GETPRIORITY, args![99, 0]).fails(EINVAL);
        let nicest = 19;
        t.bare(SETPRIORITY, args![libc::PRIO_PROCESS, 0, nicest])
            .is(0);
        t.bare(GETPRIORITY, args![libc::PRIO_PROCESS, 0]).is(1);
        assert!(before >= 1, "a nice value");
        t.bare(SETPRIORITY, args![libc::PRIO_PROCESS, NO_PROCESS, 0])
            .fails(ESRCH);
        t.bare(IOPRIO_GET, args![IOPRIO_WHO_PROCESS, 0]).ok();
        t.bare(IOPRIO_GET, args![99, 0]).fails(EINVAL);
        t.bare(IOPRIO_SET, args![IOPRIO_WHO_PROCESS, 0, BEST_EFFORT_6])
            .is(0);
        t.bare(IOPRIO_GET, args![IOPRIO_WHO_PROCESS, 0])
            .is(i64::from(BEST_EFFORT_6));
        t.bare(IOPRIO_SET, args![IOPRIO_WHO_PROCESS, 0, 7 << 13])
            .fails(EINVAL);
    });
}

/// On which processor, and when the others have noticed.
fn processors(t: &mut Tape) {
    const PRIVATE_EXPEDITED: i32 = 1 << 3;
    const REGISTER_PRIVATE_EXPEDITED: i32 = 1 << 4;
    t.apart(|t| {
        let set = &mut [0u64; 128];
        let length = t.bare(SCHED_GETAFFINITY, args![0, 1024, &mut *set]).ok();
        t.bare(SCHED_GETAFFINITY, args![0, 1, &mut *set])
            .fails(EINVAL);
        t.bare(SCHED_SETAFFINITY, args![0, length, &*set]).is(0);
        t.bare(SCHED_SETAFFINITY, args![0, length, &[0u64; 128]])
            .fails(EINVAL);
        t.bare(GETCPU, args![&mut [0u32], &mut [0u32], 0]).is(0);
        t.bare(GETCPU, args![8, 8, 0]).fails(EFAULT);
        t.bare(MEMBARRIER, args![0, 0, 0]).ok();
        t.bare(MEMBARRIER, args![PRIVATE_EXPEDITED, 0, 0])
            .fails(EPERM);
        t.bare(MEMBARRIER, args![REGISTER_PRIVATE_EXPEDITED, 0, 0])
            .is(0);
        t.bare(MEMBARRIER, args![PRIVATE_EXPEDITED, 0, 0]).is(0);
        t.bare(MEMBARRIER, args![1 << 30, 0, 0]).fails(EINVAL);
    });
}

/// The kernel wants it so aligned.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
struct Area([u64; 4]);

/// `rseq`, in a child that shares the memory: any other has the C library's area already.
fn restartable_sequences(t: &mut Tape) {
    const UNREGISTER: i32 = 1;
    t.outside(|t| {
        let child = t.vfork_child(|t| {
            let area = &mut [Area([0; 4])];
            let length = size_of_val(area);
            t.bare(RSEQ, args![&mut *area, length, 99, 7]).fails(EINVAL);
            t.bare(RSEQ, args![&mut *area, length, 0, 7]).is(0);
            t.bare(RSEQ, args![&mut *area, length, 0, 7]).fails(EBUSY);
            t.bare(RSEQ, args![&mut *area, length, 0, 8]).fails(EPERM);
            t.bare(RSEQ, args![&mut *area, length, UNREGISTER, 7]).is(0);
        });
        assert_eq!(sys::wait(child), 0, "exit status");
    });
}
