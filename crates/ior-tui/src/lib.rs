//! The dashboard: state, keys and screens over the [`ior_core::snapshot::Feed`] of a session. It knows nothing of tracing,
//! of files or of outputs; what it needs of the machine it asks a [`World`] for.

#![forbid(unsafe_code)]

pub mod action;
pub mod app;
pub mod keymap;
pub mod panes;
pub mod table;
pub mod text;
pub mod theme;
pub mod world;

pub use world::World;
