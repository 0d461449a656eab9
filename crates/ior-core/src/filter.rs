//! The content filter: which rows are wanted, by what they hold. Applied in user space to every row.
//!
//! A filter is a list of conditions that must all hold. It is written `comm~bash`, `syscall=openat`, `file~^/etc/`,
//! `pid=1`, `latency>=100us`, `bytes>4k`, `ret=-2`, `errors`, `!file~/proc`; [`Filter::parse`] describes the syntax.
//! Which calls the kernel looks at in the first place (the scope) is not decided here.

mod parse;
mod pattern;

use std::fmt;

use crate::row::Row;
use crate::units::{TypedDuration, TypedSize};

pub use parse::FilterError;
use pattern::Pattern;

/// Conditions that must all hold; an empty filter lets every row through.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    conditions: Vec<Condition>,
}

impl Filter {
    /// Whether the row is wanted. Allocates nothing.
    pub fn matches(&self, row: &Row<'_>) -> bool {
        self.conditions
            .iter()
            .all(|condition| condition.matches(row))
    }

    /// True if every row is let through.
    pub fn is_empty(&self) -> bool {
        self.conditions.is_empty()
    }

    /// The conditions, oldest first.
    pub fn conditions(&self) -> &[Condition] {
        &self.conditions
    }

    /// Narrows the filter.
    pub fn push(&mut self, condition: Condition) {
        self.conditions.push(condition);
    }

    /// Takes the newest condition back.
    pub fn pop(&mut self) -> Option<Condition> {
        self.conditions.pop()
    }

    /// Narrows the filter to this condition too.
    pub fn and(mut self, condition: Condition) -> Filter {
        self.push(condition);
        self
    }
}

impl fmt::Display for Filter {
    /// What [`Filter::parse`] reads back as an equal filter.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, condition) in self.conditions.iter().enumerate() {
            let separator = if i == 0 { "" } else { " " };
            write!(f, "{separator}{condition}")?;
        }
        Ok(())
    }
}

/// One condition on one column of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    column: Column,
    negated: bool,
    test: Test,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Test {
    /// The row is an error.
    Errors,
    /// The text is exactly this.
    Text(Box<[u8]>),
    /// The text matches.
    Like(Pattern),
    /// The number compares like this.
    Number(Operator, i128),
}

impl Condition {
    /// Calls that returned an error.
    pub fn errors() -> Condition {
        Condition {
            column: Column::Errors,
            negated: false,
            test: Test::Errors,
        }
    }

    /// Rows whose `file` or `old_file` holds this anywhere, in upper or lower case. Fails if it is empty or absurdly long.
    pub fn path_contains(text: &[u8]) -> Result<Condition, FilterError> {
        let pattern =
            Pattern::literal(Column::File, text).map_err(|why| FilterError::pattern(text, why))?;
        Ok(Condition {
            column: Column::File,
            negated: false,
            test: Test::Like(pattern),
        })
    }

    /// Calls that took at least this long, in nanoseconds.
    pub fn min_latency(ns: u64) -> Condition {
        Condition {
            column: Column::Latency,
            negated: false,
            test: Test::Number(Operator::GreaterEqual, ns.into()),
        }
    }

    /// Rows with the value this row has in that column: what a cell of a table pushes. `None` where it has no value.
    pub fn same(column: Column, row: &Row<'_>) -> Option<Condition> {
        let test = match column.domain() {
            Domain::Flag => {
                return Some(Condition {
                    column,
                    negated: !row.is_error(),
                    test: Test::Errors,
                });
            }
            Domain::Text => Test::Text(column.text(row)?.into()),
            _ => Test::Number(Operator::Equal, column.number(row)?),
        };
        Some(Condition {
            column,
            negated: false,
            test,
        })
    }

    /// The opposite: exactly the rows this condition refuses.
    pub fn negate(self) -> Condition {
        Condition {
            negated: !self.negated,
            ..self
        }
    }

    /// The column it looks at.
    pub fn column(&self) -> Column {
        self.column
    }

    /// Whether the condition holds. One on `file` holds if it does for either name of a call with two, and negated if it
    /// does for neither. Without a value in the column nothing holds but a negated condition.
    pub fn matches(&self, row: &Row<'_>) -> bool {
        let holds = match &self.test {
            Test::Errors => row.is_error(),
            Test::Text(expected) => self.column.texts(row).any(|text| text == &**expected),
            Test::Like(pattern) => self.column.texts(row).any(|text| pattern.is_match(text)),
            Test::Number(operator, expected) => self
                .column
                .number(row)
                .is_some_and(|number| operator.holds(number, *expected)),
        };
        holds != self.negated
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let column = self.column.name();
        let not = if self.negated { "!" } else { "" };
        match &self.test {
            Test::Errors => write!(f, "{not}{column}"),
            Test::Text(text) => write!(f, "{column}{not}={}", parse::Quoted(text)),
            Test::Like(pattern) => write!(f, "{not}{column}~{}", parse::Quoted(pattern.source())),
            Test::Number(Operator::Equal, number) => {
                write!(f, "{column}{not}=")?;
                self.column.write_number(*number, f)
            }
            Test::Number(operator, number) => {
                write!(f, "{not}{column}{}", operator.as_str())?;
                self.column.write_number(*number, f)
            }
        }
    }
}

/// How a number is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Equal,
    Greater,
    GreaterEqual,
    Less,
    LessEqual,
}

impl Operator {
    fn holds(self, number: i128, expected: i128) -> bool {
        match self {
            Operator::Equal => number == expected,
            Operator::Greater => number > expected,
            Operator::GreaterEqual => number >= expected,
            Operator::Less => number < expected,
            Operator::LessEqual => number <= expected,
        }
    }

    fn as_str(self) -> &'static str {
        match self {
            Operator::Equal => "=",
            Operator::Greater => ">",
            Operator::GreaterEqual => ">=",
            Operator::Less => "<",
            Operator::LessEqual => "<=",
        }
    }
}

/// A column a condition can look at; see the fields of [`Row`] and [`crate::Task`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column {
    /// The thread's name.
    Comm,
    /// The thread group leader's name.
    Process,
    /// The call's name.
    Syscall,
    /// The call's family.
    Family,
    /// The file's name.
    File,
    /// The source name of a call with two.
    OldFile,
    /// Process id.
    Pid,
    /// Thread id.
    Tid,
    /// The parent's process id.
    Ppid,
    /// Real user id.
    Uid,
    /// Descriptor; -1 none.
    Fd,
    /// Return value.
    Ret,
    /// Payload bytes moved.
    Bytes,
    /// Duration, nanoseconds.
    Latency,
    /// Time since the thread's previous call, nanoseconds.
    Gap,
    /// Bytes asked for.
    Requested,
    /// File position.
    Offset,
    /// Whether the call returned an error.
    Errors,
}

/// What a column's values are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Domain {
    Flag,
    Text,
    /// A whole number from 0.
    Id,
    /// A whole number.
    Signed,
    /// A whole number, or an errno's name for its negative.
    Return,
    /// Bytes.
    Size,
    /// Nanoseconds.
    Duration,
}

impl Column {
    /// Every column, in the order they are listed to the user.
    pub const ALL: [Column; 18] = [
        Column::Comm,
        Column::Process,
        Column::Syscall,
        Column::Family,
        Column::File,
        Column::OldFile,
        Column::Pid,
        Column::Tid,
        Column::Ppid,
        Column::Uid,
        Column::Fd,
        Column::Ret,
        Column::Bytes,
        Column::Latency,
        Column::Gap,
        Column::Requested,
        Column::Offset,
        Column::Errors,
    ];

    /// The name it is typed by.
    pub fn name(self) -> &'static str {
        match self {
            Column::Comm => "comm",
            Column::Process => "process",
            Column::Syscall => "syscall",
            Column::Family => "family",
            Column::File => "file",
            Column::OldFile => "old_file",
            Column::Pid => "pid",
            Column::Tid => "tid",
            Column::Ppid => "ppid",
            Column::Uid => "uid",
            Column::Fd => "fd",
            Column::Ret => "ret",
            Column::Bytes => "bytes",
            Column::Latency => "latency",
            Column::Gap => "gap",
            Column::Requested => "requested",
            Column::Offset => "offset",
            Column::Errors => "errors",
        }
    }

    /// The column of that name.
    pub fn by_name(name: &str) -> Option<Column> {
        Column::ALL.into_iter().find(|column| column.name() == name)
    }

    fn domain(self) -> Domain {
        match self {
            Column::Comm
            | Column::Process
            | Column::Syscall
            | Column::Family
            | Column::File
            | Column::OldFile => Domain::Text,
            Column::Pid | Column::Tid | Column::Ppid | Column::Uid => Domain::Id,
            Column::Fd => Domain::Signed,
            Column::Ret => Domain::Return,
            Column::Bytes | Column::Requested | Column::Offset => Domain::Size,
            Column::Latency | Column::Gap => Domain::Duration,
            Column::Errors => Domain::Flag,
        }
    }

    /// The row's value in a column of text.
    fn text<'r>(self, row: &Row<'r>) -> Option<&'r [u8]> {
        match self {
            Column::Comm => Some(&row.task.comm),
            Column::Process => Some(&row.task.process),
            Column::Syscall => Some(row.syscall.name.as_bytes()),
            Column::Family => Some(row.syscall.family.as_str().as_bytes()),
            Column::File => Some(row.file),
            Column::OldFile => row.old_file,
            _ => None,
        }
    }

    /// What a condition on a column of text looks at: whoever asks for a file means both names of a rename or copy.
    fn texts<'r>(self, row: &Row<'r>) -> impl Iterator<Item = &'r [u8]> {
        let other = row.old_file.filter(|_| self == Column::File);
        self.text(row).into_iter().chain(other)
    }

    /// The row's value in a column of numbers.
    fn number(self, row: &Row<'_>) -> Option<i128> {
        Some(match self {
            Column::Pid => row.task.pid.into(),
            Column::Tid => row.task.tid.into(),
            Column::Ppid => row.task.ppid.into(),
            Column::Uid => row.task.uid.into(),
            Column::Fd => row.fd.into(),
            Column::Ret => row.ret.into(),
            Column::Bytes => row.bytes.into(),
            Column::Latency => row.latency_ns.into(),
            Column::Gap => row.gap_ns.into(),
            Column::Requested => row.requested?.into(),
            Column::Offset => row.offset?.into(),
            _ => return None,
        })
    }

    /// The number as it is typed in this column.
    fn write_number(self, number: i128, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.domain(), u64::try_from(number)) {
            (Domain::Size, Ok(bytes)) => write!(f, "{}", TypedSize(bytes)),
            (Domain::Duration, Ok(ns)) => write!(f, "{}", TypedDuration(ns)),
            _ => write!(f, "{number}"),
        }
    }
}

#[cfg(test)]
mod tests;
