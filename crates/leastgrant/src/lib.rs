//! The binary's rooms: everything that touches the world. See ARCHITECTURE.md for the picture.

pub mod agent;
pub mod cli;
pub mod command;
pub mod conduct;
pub mod doctor;
pub mod edit;
pub mod exit;
pub mod ground;
pub mod history;
pub mod hook;
pub mod install;
pub mod judged;
pub mod persona;
pub mod render;
pub mod store;
pub mod world;
