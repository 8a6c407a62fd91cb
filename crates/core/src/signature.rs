//! The learnable identity of an action: ordered token classes; two actions of different blast never share one.
