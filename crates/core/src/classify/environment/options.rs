//! Variables that hold options of a program: harmless where every word of them is a known plain one.

/// A variable and the reading of its words.
struct Row {
    names: &'static [&'static str],
    plain: fn(&[&str]) -> bool,
}

const ROWS: &[Row] = &[
    Row { names: &["NODE_OPTIONS"], plain: node },
    Row {
        names: &[
            "MAVEN_OPTS",
            "MAVEN_ARGS",
            "GRADLE_OPTS",
            "JAVA_OPTS",
            "SBT_OPTS",
            "LEIN_JVM_OPTS",
            "JVM_OPTS",
            "JAVA_TOOL_OPTIONS",
        ],
        plain: java,
    },
    Row { names: &["RUSTFLAGS", "RUSTDOCFLAGS", "CARGO_BUILD_RUSTFLAGS", "CARGO_BUILD_RUSTDOCFLAGS"], plain: rust },
    Row { names: &["CARGO_ENCODED_RUSTFLAGS", "CARGO_ENCODED_RUSTDOCFLAGS"], plain: never },
    Row { names: &["CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS"], plain: compiler },
    Row { names: &["PYTEST_ADDOPTS"], plain: pytest },
    Row { names: &["PYTHONWARNINGS"], plain: warnings },
];

/// Whether the variable holds options that could run something.
pub(super) fn reads(name: &str) -> bool {
    ROWS.iter().any(|row| row.names.contains(&name))
}

/// Whether every option in the text is plain; nothing where the variable holds none.
pub(super) fn plain(name: &str, text: &str) -> Option<bool> {
    let row = ROWS.iter().find(|row| row.names.contains(&name))?;
    let words: Vec<&str> = text.split_whitespace().collect();
    Some((row.plain)(&words))
}

fn never(_: &[&str]) -> bool {
    false
}

fn node(words: &[&str]) -> bool {
    words.iter().all(|word| {
        word.starts_with("--max-old-space-size=")
            || matches!(
                *word,
                "--no-warnings"
                    | "--no-deprecation"
                    | "--trace-warnings"
                    | "--trace-deprecation"
                    | "--enable-source-maps"
                    | "--experimental-vm-modules"
                    | "--unhandled-rejections=strict"
                    | "--expose-gc"
            )
    })
}

fn java(words: &[&str]) -> bool {
    const STARTS: &[&str] = &[
        "-Xmx",
        "-Xms",
        "-Xss",
        "-XX:Max",
        "-XX:+Use",
        "-XX:Metaspace",
        "-XX:Reserved",
        "-Dfile.encoding=",
        "-Duser.timezone=",
    ];
    const WHOLE: &[&str] = &[
        "-Dorg.gradle.daemon=false",
        "-Dorg.gradle.daemon=true",
        "-Dorg.gradle.parallel=true",
        "-Dorg.gradle.caching=true",
        "-Djava.awt.headless=true",
        "--no-daemon",
        "-q",
        "-B",
        "-ntp",
        "-o",
        "-ea",
    ];
    words.iter().all(|word| WHOLE.contains(word) || STARTS.iter().any(|start| word.starts_with(start)))
}

/// `-D warnings`, `-C target-cpu=native`, `--cfg x`; no linker, no plugin, nothing unstable.
fn rust(words: &[&str]) -> bool {
    const CODEGEN: &[&str] = &[
        "target-cpu",
        "target-feature",
        "opt-level",
        "debuginfo",
        "lto",
        "codegen-units",
        "panic",
        "instrument-coverage",
        "overflow-checks",
        "debug-assertions",
        "strip",
        "prefer-dynamic",
        "force-frame-pointers",
        "incremental",
        "embed-bitcode",
        "link-dead-code",
        "split-debuginfo",
        "relocation-model",
    ];
    let codegen = |text: &str| {
        CODEGEN.contains(&text.split('=').next().unwrap_or_default())
            || matches!(text, "link-arg=-fuse-ld=lld" | "link-arg=-fuse-ld=mold" | "link-arg=-fuse-ld=gold")
    };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let good = match *word {
            "-D" | "-W" | "-A" | "-F" | "--cfg" | "--check-cfg" | "--cap-lints" | "--edition" => words.next().is_some(),
            "-C" => words.next().is_some_and(|text| codegen(text)),
            "-g" | "-O" | "--deny=warnings" => true,
            _ => {
                word.strip_prefix("-C").is_some_and(codegen)
                    || word.starts_with("--cfg=")
                    || word.starts_with("--cap-lints=")
                    || ["-D", "-W", "-A", "-F"].iter().any(|start| word.starts_with(start))
            }
        };
        if !good {
            return false;
        }
    }
    true
}

/// Flags of a C compiler, save those that load or start something.
fn compiler(words: &[&str]) -> bool {
    const LOADS: &[&str] = &[
        "-fplugin",
        "-wrapper",
        "-specs",
        "--specs",
        "-B",
        "-load",
        "-Xclang",
        "-fpass-plugin",
        "-fuse-ld=/",
        "-fuse-ld=.",
        "@",
        "-no-canonical-prefixes",
        "--config",
        "-fsanitize-blacklist",
    ];
    !words.iter().any(|word| LOADS.iter().any(|start| word.starts_with(start)))
}

fn pytest(words: &[&str]) -> bool {
    const WITH_VALUE: &[&str] = &["-k", "-m", "-n", "-W", "--tb", "--maxfail", "--durations", "--color"];
    const FLAGS: &[&str] = &[
        "-q",
        "-qq",
        "-v",
        "-vv",
        "-vvv",
        "-x",
        "-s",
        "-l",
        "--lf",
        "--ff",
        "--sw",
        "--no-header",
        "--no-cov",
        "--no-summary",
        "--strict-markers",
        "--disable-warnings",
        "--exitfirst",
        "--last-failed",
        "--showlocals",
        "--runxfail",
    ];
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let name = word.split('=').next().unwrap_or_default();
        let good = FLAGS.contains(word)
            || word.starts_with("-r") && word.len() <= 4
            || WITH_VALUE.contains(&name) && (word.contains('=') || words.next().is_some())
            || *word == "-p" && words.next().is_some_and(|plugin| plugin.starts_with("no:"))
            || word.starts_with("-pno:");
        if !good {
            return false;
        }
    }
    true
}

/// `ACTION[:message[:category…]]`: a category with a dot in it is a module that is imported.
fn warnings(words: &[&str]) -> bool {
    const ACTIONS: &[&str] = &["default", "error", "always", "all", "module", "once", "ignore"];
    words.join(" ").split(',').all(|filter| {
        let mut parts = filter.trim().split(':');
        let action = parts.next().unwrap_or_default();
        let category = parts.nth(1).unwrap_or_default();
        (filter.is_empty() || ACTIONS.contains(&action)) && !category.contains('.')
    })
}
