//! Every key where it means something, and what stays as it was.

mod actions;
mod boxes;
mod flame;
mod selection;
mod stream;
