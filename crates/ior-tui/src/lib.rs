//! The dashboard: state, keys and screens over the [`ior_core::snapshot::Feed`] of a session. It knows nothing of tracing,
//! of files or of outputs; what it needs of the machine it asks a [`World`] for.

#![forbid(unsafe_code)]

pub mod action;
pub mod app;
mod dialogs;
pub mod keymap;
pub mod panes;
#[cfg(test)]
mod rig;
pub mod run;
pub mod screen;
pub mod table;
pub mod terminal;
pub mod text;
pub mod theme;
pub mod world;

pub use app::{First, PanicKey, Start};
pub use run::run;
pub use theme::Theme;
pub use world::World;
