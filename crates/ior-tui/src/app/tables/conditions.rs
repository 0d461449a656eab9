//! What a cell of a table stands for, as conditions of a filter: the rows that are counted in its line, and in a cell of
//! errors only those that failed.

use ior_core::Filter;
use ior_core::snapshot::{Pane, ProcessLine, Window};
use ior_core::view::{FileColumn, Grouping, ProcessColumn, SyscallColumn, TaskKey};

use super::{Column, Line, Table};
use crate::app::App;

impl App {
    /// What the selected cell stands for; `None` if no line on the screen is selected.
    pub(super) fn conditions_of_cell(&self) -> Option<Filter> {
        let picture = self.picture()?;
        let tables = &self.tables;
        let text = match &picture.pane {
            Pane::Syscalls(window) => {
                let line = selected(&tables.syscalls, window)?;
                let syscall = line.syscall;
                match tables.syscalls.column {
                    SyscallColumn::Family => format!("family={}", syscall.family.as_str()),
                    SyscallColumn::Errors => format!("syscall={} errors", syscall.name),
                    _ => format!("syscall={}", syscall.name),
                }
            }
            Pane::Files(window) => {
                let line = selected(&tables.files, window)?;
                let file = match tables.grouping {
                    Grouping::File => exactly("file", &line.path),
                    Grouping::Directory => directly_in(&line.path),
                };
                match tables.files.column {
                    FileColumn::Errors => format!("{file} errors"),
                    _ => file,
                }
            }
            Pane::Processes(window) => {
                let line = selected(&tables.processes, window)?;
                of_task(line, tables.processes.column)
            }
            _ => return None,
        };
        Filter::parse(&text).ok()
    }
}

fn selected<'w, C: Column, L: Line>(
    table: &Table<C, L::Key>,
    window: &'w Window<L>,
) -> Option<&'w L> {
    let place = table.place(window)?;
    window.lines.get(place.checked_sub(window.first)?)
}

fn of_task(line: &ProcessLine, column: ProcessColumn) -> String {
    let task = match line.key {
        TaskKey { tid: Some(tid), .. } => format!("tid={tid}"),
        TaskKey { pid, .. } => format!("pid={pid}"),
    };
    match (column, line.key.tid) {
        (ProcessColumn::Name, Some(_)) => exactly("comm", &line.name),
        (ProcessColumn::Name, None) => exactly("process", &line.name),
        (ProcessColumn::Errors, _) => format!("{task} errors"),
        _ => task,
    }
}

/// The condition that a column is exactly this. Everything that is not plain is escaped, whatever it is.
pub fn exactly(column: &str, value: &[u8]) -> String {
    format!("{column}={}", quoted(value))
}

fn quoted(value: &[u8]) -> String {
    let mut text = String::from("\"");
    for byte in value {
        match byte {
            b'"' | b'\\' => {
                text.push('\\');
                text.push(char::from(*byte));
            }
            b' '..=b'~' => text.push(char::from(*byte)),
            _ => text.push_str(&format!("\\x{byte:02x}")),
        }
    }
    text.push('"');
    text
}

/// The condition that a file is directly in a directory, as the statistics have it: those without a slash are in `.`, and
/// kernel objects in their kind (`pipe:`). Upper and lower case differ, and names need not be UTF-8.
fn directly_in(directory: &[u8]) -> String {
    let name = match directory {
        b"/" => "^/[^/]*$".to_owned(),
        b"." => "^[^/:]*$".to_owned(),
        [b'/', ..] => format!("^{}/[^/]*$", pattern(directory)),
        [.., b':'] => format!("^{}", pattern(directory)),
        _ => format!("^{}/[^/:]*$", pattern(directory)),
    };
    format!("file~{}", quoted(format!("/(?-iu){name}/").as_bytes()))
}

/// The expression that matches exactly these bytes.
fn pattern(bytes: &[u8]) -> String {
    let mut pattern = String::new();
    for chunk in bytes.utf8_chunks() {
        pattern.push_str(&regex::escape(chunk.valid()));
        for byte in chunk.invalid() {
            pattern.push_str(&format!(r"\x{byte:02x}"));
        }
    }
    pattern
}

#[cfg(test)]
mod tests;
