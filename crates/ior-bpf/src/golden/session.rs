//! Plays the kernel: definitions and rows in, rows out.

use ior_core::NameSource;

use crate::batch::Batch;
use crate::record::bytes_of;
use crate::resolve::Resolver;
use crate::skeleton::types::{self, name_state, record_type};
use crate::tables::Tables;

/// What is compared of a row.
#[derive(Debug, PartialEq, Eq)]
pub struct Seen {
    pub seq: u64,
    pub comm: String,
    pub syscall: &'static str,
    pub fd: i32,
    pub bytes: u64,
    pub file: String,
    pub old_file: Option<String>,
    pub source: NameSource,
}

/// Its values.
#[derive(Debug, PartialEq, Eq)]
pub struct Values {
    pub requested: Option<u64>,
    pub offset: Option<i64>,
    pub flags: Option<u64>,
    pub bytes: u64,
}

/// Plays the kernel: definitions and rows in, rows out.
#[derive(Default)]
pub struct Session {
    pub tables: Tables,
    pub batch: Batch,
    pub resolver: Resolver,
}

impl Session {
    pub fn row(&mut self, row: &types::row) {
        self.batch.push(&bytes_of(row));
    }

    pub fn named(
        &mut self,
        row: types::row,
        file2: u64,
        name: (name_state, &[u8]),
        name2: (name_state, &[u8]),
    ) {
        let named = types::named_row {
            row: types::row {
                r#type: record_type::RECORD_NAMED_ROW.0 as u8,
                ..row
            },
            file2,
            len: name.1.len() as u16,
            len2: name2.1.len() as u16,
            name2_at: 256,
            state: name.0.0 as u8,
            state2: name2.0.0 as u8,
        };
        let mut bytes = bytes_of(&named);
        bytes.extend_from_slice(name.1);
        bytes.resize(size_of::<types::named_row>() + 256, 0);
        bytes.extend_from_slice(name2.1);
        bytes.resize(size_of::<types::named_row>() + 512, 0);
        self.batch.push(&bytes);
    }

    pub fn named_once(&mut self, row: types::row, state: name_state, name: &[u8]) {
        self.named(row, 0, (state, name), (name_state::NAME_NONE, b""));
    }

    pub fn file(&mut self, def: types::file_def, leaf_first: &[&str]) {
        let components: Vec<u8> = leaf_first
            .iter()
            .flat_map(|part| [part.as_bytes(), b"\0"].concat())
            .collect();
        let def = types::file_def {
            r#type: record_type::RECORD_FILE.0 as u8,
            len: components.len() as u32,
            ..def
        };
        let mut bytes = bytes_of(&def);
        bytes.extend_from_slice(&components);
        bytes.resize(552, 0);
        self.tables.define(&bytes);
    }

    pub fn task(&mut self, id: u32, tid: u32, comm: &str) {
        let mut def = types::task_def {
            r#type: record_type::RECORD_TASK.0 as u8,
            id,
            tid,
            pid: tid,
            ..Default::default()
        };
        for (to, from) in def.comm.iter_mut().zip(comm.bytes()) {
            *to = from.cast_signed();
        }
        self.tables.define(&bytes_of(&def));
    }

    pub fn rows(&mut self) -> Vec<Seen> {
        let mut rows = Vec::new();
        self.batch.sort();
        for raw in self.batch.ready(u64::MAX) {
            self.resolver
                .resolve(raw, &self.batch, &mut self.tables, u64::MAX, &mut |row| {
                    rows.push(Seen {
                        seq: row.seq,
                        comm: String::from_utf8_lossy(&row.task.comm).into_owned(),
                        syscall: row.syscall.name,
                        fd: row.fd,
                        bytes: row.bytes,
                        file: String::from_utf8_lossy(row.file).into_owned(),
                        old_file: row
                            .old_file
                            .map(|name| String::from_utf8_lossy(name).into_owned()),
                        source: row.name_source,
                    });
                });
        }
        self.batch.carry(self.batch.len(), &mut Batch::default());
        rows
    }

    /// The values of this row alone.
    pub fn values(&mut self, row: &types::row) -> Values {
        self.row(row);
        self.batch.sort();
        let mut values = None;
        for raw in self.batch.ready(u64::MAX) {
            self.resolver
                .resolve(raw, &self.batch, &mut self.tables, u64::MAX, &mut |row| {
                    values = Some(Values {
                        requested: row.requested,
                        offset: row.offset,
                        flags: row.flags,
                        bytes: row.bytes,
                    });
                });
        }
        self.batch.carry(self.batch.len(), &mut Batch::default());
        values.expect("a row")
    }

    pub fn one(&mut self) -> Seen {
        let mut rows = self.rows();
        assert_eq!(rows.len(), 1, "{rows:?}");
        rows.remove(0)
    }
}

pub fn row(name: &str, fd: i32, ret: i64, file: u64) -> types::row {
    types::row {
        r#type: record_type::RECORD_ROW.0 as u8,
        returned: 1,
        call: ior_core::syscall::by_name(name)
            .expect("in the table")
            .call(),
        task: 1,
        enter_ns: 1000,
        latency_ns: 10,
        fd,
        ret,
        file,
        ..Default::default()
    }
}

pub fn def(id: u64) -> types::file_def {
    types::file_def {
        id,
        ino: 42,
        mode: 0o100_644,
        ..Default::default()
    }
}

pub fn session() -> Session {
    let mut session = Session::default();
    session.task(1, 100, "cat");
    session
}
