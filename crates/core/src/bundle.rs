//! Starter bundles: what a person accepts at `init`, each with what it does not cover in words. Floors stay above all.
