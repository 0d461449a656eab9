//! The tables of a snapshot: lines in order, and only those on the screen.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

use super::entry::{Detail, DirectoryEntry, FileEntry, SyscallEntry};
use super::set::Set;
use super::task::Task;
use super::window::{self, NameOrder, Ordered, rank, window};
use crate::snapshot::{FileLine, Folded, ProcessLine, Spread, SyscallLine, Window};
use crate::stats::table::Table;
use crate::view::{FileColumn, Grouping, ProcessColumn, SyscallColumn, TableView, TaskKey};
use crate::{ByteClass, Syscall, SyscallTotals, Totals};

/// Lines of each list of the overview.
const TOP: usize = 20;

/// The kernel's counters since the statistics began; none while a filter is in force.
#[derive(Debug, Clone, Copy)]
pub(super) struct Exact<'a> {
    pub(super) totals: &'a Totals,
    /// Those at the time.
    pub(super) before: Option<&'a Totals>,
}

impl Exact<'_> {
    fn each(self, mut f: impl FnMut(&'static Syscall, SyscallTotals)) {
        let before: std::collections::HashMap<u16, &SyscallTotals> = self
            .before
            .iter()
            .flat_map(|before| &before.by_syscall)
            .map(|(syscall, totals)| (syscall.slot, totals))
            .collect();
        for (syscall, totals) in &self.totals.by_syscall {
            let mut since = *totals;
            if let Some(before) = before.get(&syscall.slot) {
                since.calls = since.calls.saturating_sub(before.calls);
                since.errors = since.errors.saturating_sub(before.errors);
                since.bytes = since.bytes.saturating_sub(before.bytes);
            }
            if since.calls > 0 {
                f(syscall, since);
            }
        }
    }
}

fn folded<K, V>(table: &Table<K, V>, detail: impl Fn(&V) -> (u64, u64)) -> Folded
where
    K: Hash + Eq,
    V: Default,
{
    let (calls, bytes) = detail(table.other());
    Folded {
        keys: table.other_keys(),
        calls,
        bytes,
    }
}

/// Orders numbers or names; equal ones are ordered by name.
fn ordered(by: Ordering, descending: bool, name: Ordering) -> Ordering {
    let by = if descending { by.reverse() } else { by };
    by.then(name)
}

impl Set {
    /// All syscalls in order.
    fn syscall_lines(&self, exact: Option<Exact<'_>>, now: Duration) -> Vec<SyscallLine> {
        let mut lines: Vec<Option<SyscallLine>> = self
            .syscalls
            .iter()
            .map(|entry| Some(syscall_line(entry.as_deref()?, now)))
            .collect();
        if let Some(exact) = exact {
            exact.each(|syscall, totals| {
                let line = lines[usize::from(syscall.slot)].get_or_insert(SyscallLine {
                    syscall,
                    calls: 0,
                    rate: 0.0,
                    latency: None,
                    bytes: 0,
                    errors: 0,
                });
                // Rows may be ahead of what was last read of the counters.
                line.calls = line.calls.max(totals.calls);
                line.bytes = line.bytes.max(totals.bytes);
                line.errors = line.errors.max(totals.errors);
            });
        }
        lines.into_iter().flatten().collect()
    }

    pub(super) fn syscalls(
        &self,
        view: &TableView<SyscallColumn, &'static Syscall>,
        exact: Option<Exact<'_>>,
        now: Duration,
    ) -> Window<SyscallLine> {
        let mut lines = self.syscall_lines(exact, now);
        lines.sort_unstable_by(|one, other| {
            let by = compare_syscalls(view.sort, one, other);
            ordered(
                by,
                view.descending,
                one.syscall.name.cmp(other.syscall.name),
            )
        });
        let is_selected =
            |line: &SyscallLine| Some(line.syscall.slot) == view.selected.map(|it| it.slot);
        let selected = lines.iter().position(is_selected);
        let total = lines.len();
        let range = window::range(total, selected, view.first, view.len);
        Window {
            first: range.start,
            lines: lines.drain(range).collect(),
            total,
            selected,
            folded: Folded::default(),
        }
    }

    pub(super) fn files(
        &mut self,
        view: &TableView<FileColumn, Box<[u8]>>,
        grouping: Grouping,
    ) -> Window<FileLine> {
        match grouping {
            Grouping::File => {
                let ordered =
                    order_files(&mut self.files, &mut self.file_names, &mut self.keys, view);
                let folded = folded(&self.files, |file| {
                    (file.detail.calls(), file.detail.bytes())
                });
                file_window(&self.files, ordered, folded, |_| 1)
            }
            Grouping::Directory => {
                let table = &mut self.directories;
                let ordered = order_files(table, &mut self.directory_names, &mut self.keys, view);
                let folded = folded(table, |it| (it.detail.calls(), it.detail.bytes()));
                file_window(table, ordered, folded, |directory| directory.files)
            }
        }
    }

    pub(super) fn processes(
        &self,
        view: &TableView<ProcessColumn, TaskKey>,
        unfolded: &BTreeSet<u32>,
        now: Duration,
    ) -> Window<ProcessLine> {
        let by = |one: &Task<'_>, other: &Task<'_>| {
            let by = one.compare(other, view.sort, now);
            ordered(
                by,
                view.descending,
                (one.name, one.key).cmp(&(other.name, other.key)),
            )
        };
        let mut processes: Vec<Task<'_>> = self.processes.iter().map(Task::of_process).collect();
        processes.sort_unstable_by(by);
        let mut threads: Vec<Task<'_>> = Vec::new();
        if !unfolded.is_empty() {
            let all = self
                .threads
                .iter()
                .filter(|((pid, _), _)| unfolded.contains(pid));
            threads.extend(all.map(Task::of_thread));
            threads.sort_unstable_by(|one, other| {
                one.key.pid.cmp(&other.key.pid).then_with(|| by(one, other))
            });
        }
        let mut lines = Vec::with_capacity(processes.len() + threads.len());
        for process in processes {
            let pid = process.key.pid;
            lines.push(process);
            let begin = threads.partition_point(|thread| thread.key.pid < pid);
            lines.extend(
                threads[begin..]
                    .iter()
                    .take_while(|thread| thread.key.pid == pid),
            );
        }
        let selected = view.selected.filter(|key| self.find_task(*key).is_some());
        let selected = selected.and_then(|key| lines.iter().position(|line| line.key == key));
        let range = window::range(lines.len(), selected, view.first, view.len);
        Window {
            first: range.start,
            total: lines.len(),
            lines: lines[range].iter().map(|task| task.line(now)).collect(),
            selected,
            folded: folded(&self.processes, |it| (it.detail.calls(), it.detail.bytes())),
        }
    }

    /// The top of each list.
    pub(super) fn top(
        &mut self,
        exact: Option<Exact<'_>>,
        now: Duration,
    ) -> (Vec<SyscallLine>, Vec<FileLine>, Vec<ProcessLine>) {
        let mut syscalls = self.syscall_lines(exact, now);
        syscalls.sort_unstable_by(|one, other| {
            let by = one.calls.cmp(&other.calls);
            ordered(by, true, one.syscall.name.cmp(other.syscall.name))
        });
        syscalls.truncate(TOP);
        self.keys.clear();
        self.keys
            .extend(self.files.iter().zip(0..).map(|((_, file), place)| {
                let calls = u32::try_from(file.detail.calls()).unwrap_or(u32::MAX);
                ((!file.detail.bytes(), !calls), place)
            }));
        let files = window(&mut self.keys, None, 0, TOP).places;
        let processes = self.processes.iter().zip(0..);
        let mut processes: Vec<_> = processes
            .map(|((pid, it), place)| ((!it.detail.calls(), *pid), place))
            .collect();
        let processes = window(&mut processes, None, 0, TOP).places;
        let process = |place| self.processes.get(place);
        let processes = processes.into_iter().filter_map(process);
        (
            syscalls,
            lines(&self.files, &files, |_| 1),
            processes
                .map(|(pid, it)| Task::of_process((pid, it)).line(now))
                .collect(),
        )
    }
}

fn syscall_line(entry: &SyscallEntry, now: Duration) -> SyscallLine {
    let detail = &entry.detail;
    SyscallLine {
        syscall: entry.syscall,
        calls: detail.calls(),
        rate: entry.rate.at(now),
        latency: detail.latency.spread(),
        // Of a transfer the same bytes are read and written.
        bytes: match entry.syscall.bytes {
            ByteClass::Transfer => detail.written,
            _ => detail.bytes(),
        },
        errors: detail.errors,
    }
}

fn compare_syscalls(column: SyscallColumn, one: &SyscallLine, other: &SyscallLine) -> Ordering {
    let latency = |of: fn(&Spread) -> u64| {
        let of = |line: &SyscallLine| line.latency.as_ref().map(of);
        of(one).cmp(&of(other))
    };
    match column {
        SyscallColumn::Syscall => one.syscall.name.cmp(other.syscall.name),
        SyscallColumn::Family => {
            let family = |line: &SyscallLine| line.syscall.family.as_str();
            family(one).cmp(family(other))
        }
        SyscallColumn::Count => one.calls.cmp(&other.calls),
        SyscallColumn::Rate => one.rate.total_cmp(&other.rate),
        SyscallColumn::Avg => latency(|it| it.avg),
        SyscallColumn::Min => latency(|it| it.min),
        SyscallColumn::Max => latency(|it| it.max),
        SyscallColumn::P50 => latency(|it| it.p50),
        SyscallColumn::P95 => latency(|it| it.p95),
        SyscallColumn::P99 => latency(|it| it.p99),
        SyscallColumn::Bytes => one.bytes.cmp(&other.bytes),
        SyscallColumn::Errors => one.errors.cmp(&other.errors),
    }
}

/// What files and directories are ordered by.
trait Accessed {
    fn detail(&self) -> &Detail;
    fn files(&self) -> u64;
    fn p99(&mut self) -> u64;
}

impl Accessed for FileEntry {
    fn detail(&self) -> &Detail {
        &self.detail
    }

    fn files(&self) -> u64 {
        1
    }

    fn p99(&mut self) -> u64 {
        FileEntry::p99(self)
    }
}

impl Accessed for DirectoryEntry {
    fn detail(&self) -> &Detail {
        &self.detail
    }

    fn files(&self) -> u64 {
        self.files
    }

    fn p99(&mut self) -> u64 {
        self.detail.latency.quantile(0.99)
    }
}

/// What a file is ordered by, its rank by name, and its place.
pub(super) type FileKey = ((u64, u32), u32);

fn order_files<V: Accessed + Default>(
    table: &mut Table<Arc<[u8]>, V>,
    names: &mut NameOrder,
    buffer: &mut Vec<FileKey>,
    view: &TableView<FileColumn, Box<[u8]>>,
) -> Ordered {
    let selected = view.selected.as_ref().and_then(|name| table.find(&**name));
    let name = |place| table.get(place).map(|(name, _)| name);
    let names = names.ranks(table.len(), |one, other| name(one).cmp(&name(other)));
    let keys = table.values_mut().zip(names).zip(0..);
    let keys = keys.map(|((it, name), place)| {
        let detail = it.detail();
        let value = match view.sort {
            FileColumn::Files => it.files(),
            FileColumn::Accesses => detail.calls(),
            FileColumn::Read => detail.read,
            FileColumn::Written => detail.written,
            FileColumn::Errors => detail.errors,
            FileColumn::Avg => detail.avg(),
            FileColumn::Max => detail.latency.max,
            FileColumn::P99 => it.p99(),
            FileColumn::Path => (*name).into(),
        };
        ((rank(value, view.descending), *name), place)
    });
    buffer.clear();
    buffer.extend(keys);
    window(buffer, selected, view.first, view.len)
}

fn file_window<V: Accessed + Default>(
    table: &Table<Arc<[u8]>, V>,
    ordered: Ordered,
    folded: Folded,
    files: impl Fn(&V) -> u64,
) -> Window<FileLine> {
    Window {
        lines: lines(table, &ordered.places, files),
        first: ordered.first,
        total: ordered.total,
        selected: ordered.selected,
        folded,
    }
}

fn lines<V: Accessed + Default>(
    table: &Table<Arc<[u8]>, V>,
    places: &[u32],
    files: impl Fn(&V) -> u64,
) -> Vec<FileLine> {
    let entries = places.iter().filter_map(|place| table.get(*place));
    let line = |(path, it): &(Arc<[u8]>, V)| FileLine {
        path: path.clone(),
        files: files(it),
        accesses: it.detail().calls(),
        read: it.detail().read,
        written: it.detail().written,
        errors: it.detail().errors,
        latency: it.detail().latency.spread().unwrap_or_default(),
    };
    entries.map(line).collect()
}
