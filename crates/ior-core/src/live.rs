//! A session as it goes on: rows in, snapshots out, in bounded memory.
//!
//! [`Model`] adds up rows and makes a [`crate::Snapshot`] of them for a view. It has no thread and no clock. What is past a
//! bound is folded, and said. [`DemoFeed`] is a session that needs no kernel.

mod demo;
mod entry;
mod flame;
mod histogram;
mod lines;
mod model;
mod set;
mod synthetic;
mod tail;
mod task;
mod timeline;
mod window;

pub use demo::DemoFeed;
pub use flame::MAX_LEAVES;
pub use model::{Facts, Model};
pub use set::Bounds;
pub use synthetic::Synthetic;
pub use tail::ROWS as TAIL_ROWS;

#[cfg(test)]
mod tests;
