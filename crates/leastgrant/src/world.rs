//! The real machine behind [`leastgrant_core::world::World`].
