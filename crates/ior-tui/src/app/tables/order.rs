//! The order of the tables: by the selected column, or by a measure that all of them have.

use super::columns::{self, Measure};
use super::{App, Tables};
use crate::app::Tab;

impl Tables {
    /// Sorts the tables of the other tabs by a measure.
    fn measure_others(&mut self, open: Tab, measure: Measure) {
        if open != Tab::Syscalls {
            self.syscalls.most_first(measure.syscalls());
        }
        if open != Tab::Files {
            self.files.most_first(measure.files());
        }
        if open != Tab::Processes {
            self.processes.most_first(measure.processes());
        }
    }
}

impl App {
    /// Sorts the open table by its selected column.
    pub(in crate::app) fn sort(&mut self) {
        let Tables {
            syscalls,
            files,
            processes,
            ..
        } = &mut self.tables;
        match self.tab {
            Tab::Syscalls => syscalls.sort_by(syscalls.column),
            Tab::Files => files.sort_by(files.column),
            Tab::Processes => processes.sort_by(processes.column),
            _ => return,
        }
        self.resume();
    }

    /// Selects a column of the open table and sorts by it.
    pub(in crate::app) fn sort_by(&mut self, column: usize) {
        let tables = &mut self.tables;
        match self.tab {
            Tab::Syscalls => tables.syscalls.select_column(column, tables.grouping),
            Tab::Files => tables.files.select_column(column, tables.grouping),
            Tab::Processes => tables.processes.select_column(column, tables.grouping),
            _ => return,
        }
        self.sort();
    }

    /// Turns the order of the open table round.
    pub(in crate::app) fn reverse(&mut self) {
        let descending = match self.tab {
            Tab::Syscalls => &mut self.tables.syscalls.descending,
            Tab::Files => &mut self.tables.files.descending,
            Tab::Processes => &mut self.tables.processes.descending,
            _ => return,
        };
        *descending = !*descending;
        self.resume();
    }

    /// Sorts the open table by the next measure, and the other ones with it.
    pub(in crate::app) fn measure_table(&mut self) {
        let Tables {
            syscalls,
            files,
            processes,
            ..
        } = &mut self.tables;
        let measure = match self.tab {
            Tab::Syscalls => {
                syscalls.measure(&columns::SYSCALL_MEASURES);
                Measure::of_syscalls(syscalls.sort)
            }
            Tab::Files => {
                files.measure(&columns::FILE_MEASURES);
                Measure::of_files(files.sort)
            }
            Tab::Processes => {
                processes.measure(&columns::PROCESS_MEASURES);
                Measure::of_processes(processes.sort)
            }
            _ => return,
        };
        if let Some(measure) = measure {
            self.tables.measure_others(self.tab, measure);
        }
        self.resume();
    }
}
