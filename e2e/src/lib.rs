//! End-to-end tests of `ior`: a workload program that states every call it makes, and a harness that records it
//! with the real binary and compares whole lists.
//!
//! Nothing of `ior` is imported here: the oracle must not share its mistakes. The workload's raw system calls make
//! it x86-64 only.

pub mod harness;
pub mod oracle;
pub mod scenarios;
pub mod sys;
pub mod tape;
