//! Turns `knowledge/*.toml` and the compatibility records into static tables, so that nothing is parsed at run time.

#[path = "build/browsers.rs"]
mod browsers;
#[path = "build/channels.rs"]
mod channels;
#[path = "build/conduct.rs"]
mod conduct;
#[path = "build/knowledge.rs"]
mod knowledge;
#[path = "build/records.rs"]
mod records;
#[path = "build/tables.rs"]
mod tables;

use std::path::Path;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=build");
    println!("cargo:rerun-if-changed=knowledge");
    println!("cargo:rerun-if-changed=../../compatibility");
    let out = std::env::var("OUT_DIR").unwrap_or_default();
    let (from, out) = (Path::new("knowledge"), Path::new(&out));
    let records = Path::new("../../compatibility");
    let all = [
        browsers::write(from, out),
        conduct::write(from, out),
        knowledge::write(from, out),
        tables::write(from, out),
        records::write(records, out),
    ];
    for result in all {
        if let Err(error) = result {
            println!("cargo::error={}", error.replace('\n', " "));
        }
    }
}
