//! Processes and threads as lines of one table.

use std::cmp::Ordering;
use std::sync::Arc;
use std::time::Duration;

use super::entry::{ProcessEntry, Rate, ThreadEntry};
use crate::snapshot::ProcessLine;
use crate::view::{ProcessColumn, TaskKey};

/// A process or a thread.
#[derive(Debug, Clone, Copy)]
pub(super) struct Task<'a> {
    pub(super) key: TaskKey,
    pub(super) name: &'a Arc<[u8]>,
    threads: usize,
    rate: Rate,
    calls: u64,
    errors: u64,
    read: u64,
    written: u64,
    latency_ns: u64,
}

impl<'a> Task<'a> {
    pub(super) fn of_process((pid, entry): (&u32, &'a ProcessEntry)) -> Task<'a> {
        let detail = &entry.detail;
        Task {
            key: TaskKey {
                pid: *pid,
                tid: None,
            },
            name: &entry.name,
            threads: entry.threads,
            rate: entry.rate,
            calls: detail.calls(),
            errors: detail.errors,
            read: detail.read,
            written: detail.written,
            latency_ns: detail.latency.sum,
        }
    }

    pub(super) fn of_thread(((pid, tid), entry): (&(u32, u32), &'a ThreadEntry)) -> Task<'a> {
        let usage = &entry.usage;
        Task {
            key: TaskKey {
                pid: *pid,
                tid: Some(*tid),
            },
            name: &entry.name,
            threads: 0,
            rate: entry.rate,
            calls: usage.calls,
            errors: usage.errors,
            read: usage.read,
            written: usage.written,
            latency_ns: usage.latency_ns,
        }
    }

    fn avg(&self) -> u64 {
        self.latency_ns / self.calls.max(1)
    }

    pub(super) fn compare(
        &self,
        other: &Task<'_>,
        column: ProcessColumn,
        now: Duration,
    ) -> Ordering {
        let (one, other) = (self, other);
        match column {
            ProcessColumn::Pid => one.key.cmp(&other.key),
            ProcessColumn::Name => one.name.cmp(other.name),
            ProcessColumn::Calls => one.calls.cmp(&other.calls),
            ProcessColumn::Rate => one.rate.at(now).total_cmp(&other.rate.at(now)),
            ProcessColumn::Read => one.read.cmp(&other.read),
            ProcessColumn::Written => one.written.cmp(&other.written),
            ProcessColumn::Avg => one.avg().cmp(&other.avg()),
            ProcessColumn::Errors => one.errors.cmp(&other.errors),
        }
    }

    pub(super) fn line(&self, now: Duration) -> ProcessLine {
        ProcessLine {
            key: self.key,
            name: self.name.clone(),
            threads: self.threads,
            calls: self.calls,
            rate: self.rate.at(now),
            read: self.read,
            written: self.written,
            avg: self.avg(),
            errors: self.errors,
        }
    }
}
