//! Bounds that are checked before any work or recursion; reaching one answers opaque.

/// How much text, nesting and work one reading may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// bytes of text (default 256 kB)
    pub bytes: usize,
    /// depth of constructs within constructs (default 64)
    pub nesting: usize,
    /// nodes of the tree (default 50,000)
    pub nodes: usize,
    /// counted steps of scanning and expansion (default 64 a byte plus 10,000)
    pub steps_per_byte: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            bytes: 256 * 1024,
            nesting: 64,
            nodes: 50_000,
            steps_per_byte: 64,
        }
    }
}
