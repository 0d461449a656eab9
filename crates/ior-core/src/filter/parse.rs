//! The typed syntax of a filter, both ways.

use std::fmt;

use super::{Column, Condition, Domain, Filter, Operator, Pattern, Test};
use crate::syscall::{self, Family};
use crate::units::{parse_duration, parse_size};
use crate::{errno, escape};

/// Why a filter was not understood: one line that names the bad part and says what is allowed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FilterError {
    /// A quote without its partner.
    #[error("`{0}`: the closing \" is missing")]
    Unclosed(String),
    /// No such column.
    #[error("`{term}`: no column `{column}`; there are {}", column_names())]
    Column {
        /// The whole condition.
        term: String,
        /// What stands in the column's place.
        column: String,
    },
    /// No operator, or one the column does not have.
    #[error("`{term}`: write {allowed}")]
    Operator {
        /// The whole condition.
        term: String,
        /// What can be written.
        allowed: String,
    },
    /// The column cannot have that value.
    #[error("`{term}`: {why}")]
    Value {
        /// The whole condition.
        term: String,
        /// What is wrong with it.
        why: String,
    },
}

impl FilterError {
    pub(super) fn pattern(pattern: &[u8], why: String) -> FilterError {
        FilterError::Value {
            term: shown(pattern),
            why: format!("no pattern: {why}"),
        }
    }
}

fn column_names() -> String {
    Column::ALL.map(Column::name).join(", ")
}

fn shown(bytes: &[u8]) -> String {
    escape::terminal(bytes).into_owned()
}

impl Filter {
    /// Reads conditions separated by spaces; all must hold. Each is `errors` or a column, an operator and a value, with
    /// `!` before it for the opposite.
    ///
    /// - Text (`comm`, `process`, `syscall`, `family`, `file`, `old_file`): `=`, `!=` compare exactly; `~` finds a substring,
    ///   in upper or lower case, which `^` ties to the start and `$` to the end, or a regular expression: `file~/\.(so|ko)$/`.
    ///   In `file` and `old_file`, text between slashes is an expression only if it has a character other than `.` that
    ///   means something there: `file~/etc/` is the directory. `file` is either name of a call with two, `old_file` the
    ///   source name alone; `!file~…` and `file!=…` hold if neither name matches.
    /// - Numbers: `=`, `!=`, `>`, `>=`, `<`, `<=`; sizes with units (`4k`, `1MiB`), durations with units (`100us`; a bare number
    ///   is seconds), `ret` also by name (`ret=ENOENT` is `ret=-2`).
    ///
    /// A value with spaces stands in double quotes, in which `\"`, `\\` and `\xHH` are a quote, a backslash and a byte.
    pub fn parse(text: &str) -> Result<Filter, FilterError> {
        let conditions = terms(text)?
            .iter()
            .map(|term| condition(term))
            .collect::<Result<_, _>>()?;
        Ok(Filter { conditions })
    }
}

/// Splits at spaces outside quotes, and takes the quotes away.
fn terms(text: &str) -> Result<Vec<Vec<u8>>, FilterError> {
    let mut terms = Vec::new();
    let mut term = Vec::new();
    let (mut quoted, mut any) = (false, false);
    let mut rest = text.as_bytes();
    while let [byte, after @ ..] = rest {
        rest = after;
        match byte {
            b'"' => {
                quoted = !quoted;
                any = true;
            }
            b'\\' if quoted => {
                let (escaped, after) = unescape(after);
                term.push(escaped);
                rest = after;
            }
            byte if byte.is_ascii_whitespace() && !quoted => {
                if any {
                    terms.push(std::mem::take(&mut term));
                }
                any = false;
            }
            byte => {
                term.push(*byte);
                any = true;
            }
        }
    }
    if quoted {
        return Err(FilterError::Unclosed(shown(text.as_bytes())));
    }
    if any {
        terms.push(term);
    }
    Ok(terms)
}

/// The byte a backslash and what follows it stand for, and what comes after that. Before anything else than `"`, `\` and
/// `xHH` a backslash is itself, so that expressions can be quoted as they are.
fn unescape(after: &[u8]) -> (u8, &[u8]) {
    let digit = |byte: &u8| char::from(*byte).to_digit(16).map(|digit| digit as u8);
    match after {
        [byte @ (b'"' | b'\\'), rest @ ..] => (*byte, rest),
        [b'x', high, low, rest @ ..] => match (digit(high), digit(low)) {
            (Some(high), Some(low)) => (high << 4 | low, rest),
            _ => (b'\\', after),
        },
        _ => (b'\\', after),
    }
}

/// Reads one condition.
fn condition(term: &[u8]) -> Result<Condition, FilterError> {
    let (negated, rest) = term
        .strip_prefix(b"!")
        .map_or((false, term), |rest| (true, rest));
    let end = rest
        .iter()
        .position(|byte| b"=!<>~".contains(byte))
        .unwrap_or(rest.len());
    let (name, rest) = rest.split_at(end);
    let column = std::str::from_utf8(name)
        .ok()
        .and_then(Column::by_name)
        .ok_or_else(|| FilterError::Column {
            term: shown(term),
            column: shown(name),
        })?;
    let (operator, value) = split_operator(rest);
    let condition = Condition {
        column,
        negated,
        test: Test::Errors,
    };
    let test = match (column.domain(), operator) {
        (Domain::Flag, "") if value.is_empty() => return Ok(condition),
        (Domain::Text, "=" | "!=") => exact(column, value).map(Test::Text),
        (Domain::Text, "~" | "!~") => Pattern::parse(column, value)
            .map(Test::Like)
            .map_err(|why| format!("no pattern: {why}")),
        (Domain::Flag | Domain::Text, _) => Err(String::new()),
        (_, operator) => match comparison(operator) {
            Some(operator) => number(column, value).map(|number| Test::Number(operator, number)),
            None => Err(String::new()),
        },
    };
    match test {
        Ok(test) if operator.starts_with('!') => Ok(Condition { test, ..condition }.negate()),
        Ok(test) => Ok(Condition { test, ..condition }),
        Err(why) if why.is_empty() => Err(FilterError::Operator {
            term: shown(term),
            allowed: allowed(column),
        }),
        Err(why) => Err(FilterError::Value {
            term: shown(term),
            why,
        }),
    }
}

/// The longest operator `text` starts with, and the value after it.
fn split_operator(text: &[u8]) -> (&'static str, &[u8]) {
    ["!=", "!~", ">=", "<=", "=", "~", ">", "<", ""]
        .into_iter()
        .find_map(|operator| Some((operator, text.strip_prefix(operator.as_bytes())?)))
        .unwrap_or(("", text))
}

fn comparison(operator: &str) -> Option<Operator> {
    Some(match operator {
        "=" | "!=" => Operator::Equal,
        ">" => Operator::Greater,
        ">=" => Operator::GreaterEqual,
        "<" => Operator::Less,
        "<=" => Operator::LessEqual,
        _ => return None,
    })
}

/// What can be written of a column.
fn allowed(column: Column) -> String {
    let name = column.name();
    match column.domain() {
        Domain::Flag => format!("`{name}` or `!{name}`"),
        Domain::Text => format!("{name}=TEXT, {name}!=TEXT or {name}~TEXT"),
        Domain::Size => format!("{name}, one of = != > >= < <= and a size like 4k"),
        Domain::Duration => format!("{name}, one of = != > >= < <= and a duration like 100us"),
        Domain::Id | Domain::Signed | Domain::Return => {
            format!("{name}, one of = != > >= < <= and a number")
        }
    }
}

/// The text an exact comparison is for. Syscalls and families are checked, so that a slip does not silently match nothing.
fn exact(column: Column, value: &[u8]) -> Result<Box<[u8]>, String> {
    match column {
        Column::Syscall => std::str::from_utf8(value)
            .ok()
            .and_then(syscall::by_name)
            .map(|syscall| syscall.name.as_bytes().into())
            .ok_or_else(|| format!("no syscall `{}`; `ior syscalls` lists them", shown(value))),
        Column::Family => Family::ALL
            .iter()
            .map(|family| family.as_str())
            .find(|name| name.as_bytes().eq_ignore_ascii_case(value))
            .map(|name| name.as_bytes().into())
            .ok_or_else(|| format!("no family `{}`; there are {}", shown(value), family_names())),
        _ => Ok(value.into()),
    }
}

fn family_names() -> String {
    Family::ALL.map(Family::as_str).join(", ")
}

/// The number of a column's value.
fn number(column: Column, value: &[u8]) -> Result<i128, String> {
    let text =
        std::str::from_utf8(value).map_err(|_| format!("`{}` is no number", shown(value)))?;
    match column.domain() {
        Domain::Size => match text.strip_prefix('-') {
            Some(positive) if column == Column::Offset => {
                parse_size(positive).map(|size| -i128::from(size))
            }
            _ => parse_size(text).map(i128::from),
        }
        .map_err(|error| error.to_string()),
        Domain::Duration => parse_duration(text)
            .map(i128::from)
            .map_err(|error| error.to_string()),
        Domain::Id => text.parse::<u32>().map(i128::from).map_err(|_| {
            format!(
                "`{}` is no whole number from 0 to {}",
                shown(value),
                u32::MAX
            )
        }),
        Domain::Return => errno::by_name(text)
            .map(|errno| -i128::from(errno))
            .or_else(|| text.parse::<i64>().ok().map(i128::from))
            .ok_or_else(|| format!("`{}` is no whole number and no errno's name", shown(value))),
        Domain::Signed | Domain::Text | Domain::Flag => text
            .parse::<i32>()
            .map(i128::from)
            .map_err(|_| format!("`{}` is no whole number", shown(value))),
    }
}

/// A value as it is typed: in quotes where it has to be.
pub(super) struct Quoted<'a>(pub(super) &'a [u8]);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = std::str::from_utf8(self.0).unwrap_or_default();
        let needs_quotes = |c: char| c.is_ascii_whitespace() || c == '"' || escape::is_hostile(c);
        if !text.is_empty() && !text.contains(needs_quotes) {
            return f.write_str(text);
        }
        f.write_str("\"")?;
        for chunk in self.0.utf8_chunks() {
            for character in chunk.valid().chars() {
                match character {
                    '"' | '\\' => write!(f, "\\{character}")?,
                    _ if escape::is_hostile(character) => {
                        hex(character.encode_utf8(&mut [0; 4]).as_bytes(), f)?
                    }
                    _ => write!(f, "{character}")?,
                }
            }
            hex(chunk.invalid(), f)?;
        }
        f.write_str("\"")
    }
}

fn hex(bytes: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    bytes.iter().try_for_each(|byte| write!(f, "\\x{byte:02x}"))
}
