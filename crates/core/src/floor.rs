//! Floors: which action fires which, and whether it asks or refuses. No learning lifts one; no rule lifts an integrity floor.
