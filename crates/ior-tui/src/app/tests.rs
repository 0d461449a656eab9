//! Every key where it means something, and what stays as it was.

mod actions;
mod boxes;
mod selection;
mod stream;
