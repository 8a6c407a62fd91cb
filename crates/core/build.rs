//! Turns `knowledge/*.toml` into static tables, so that nothing is parsed at run time.

#[path = "build/knowledge.rs"]
mod knowledge;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=build");
    println!("cargo:rerun-if-changed=knowledge");
    let out = std::env::var("OUT_DIR").unwrap_or_default();
    if let Err(error) = knowledge::write(std::path::Path::new("knowledge"), std::path::Path::new(&out)) {
        println!("cargo::error={}", error.replace('\n', " "));
    }
}
