//! The lock file against `deny.toml`, without the network: no banned crate, no source but the registry.

use std::path::Path;

use serde::Deserialize;

#[derive(Deserialize)]
struct Deny {
    bans: Bans,
}

#[derive(Deserialize)]
struct Bans {
    deny: Vec<Crate>,
}

#[derive(Deserialize)]
struct Crate {
    name: String,
}

#[derive(Deserialize)]
struct Lock {
    package: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    source: Option<String>,
}

pub(crate) fn run(root: &Path) -> crate::Outcome {
    let deny: Deny = toml::from_str(&crate::read(&root.join("deny.toml"))?).map_err(|error| error.to_string())?;
    let lock: Lock = toml::from_str(&crate::read(&root.join("Cargo.lock"))?).map_err(|error| error.to_string())?;
    let mut good = true;
    for package in &lock.package {
        let Package { name, version, source } = package;
        if deny.bans.deny.iter().any(|banned| banned.name == *name) {
            good = false;
            println!("`{name}` {version} is banned by deny.toml; `cargo tree -i {name}` says who brings it");
        }
        if source.as_ref().is_some_and(|source| !source.starts_with("registry+")) {
            good = false;
            println!("`{name}` {version} does not come from the registry");
        }
    }
    println!("{} crates in the lock file, {} banned names", lock.package.len(), deny.bans.deny.len());
    Ok(good)
}
