//! What programs do, as static tables that `build.rs` makes from `knowledge/*.toml`.
