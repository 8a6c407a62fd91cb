//! Secrets that are known by their shape alone: tokens of vendors, JSON web tokens, key blocks.

use super::{Find, run};

/// prefix, letters that follow, at least so many, label
type Family = (&'static str, fn(char) -> bool, usize, &'static str);

fn word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}
fn dashed(letter: char) -> bool {
    word(letter) || letter == '-'
}
fn dotted(letter: char) -> bool {
    dashed(letter) || letter == '.'
}
fn base64(letter: char) -> bool {
    dashed(letter) || matches!(letter, '+' | '/' | '=')
}
fn alnum(letter: char) -> bool {
    letter.is_ascii_alphanumeric()
}
fn capital(letter: char) -> bool {
    letter.is_ascii_uppercase() || letter.is_ascii_digit()
}
fn hex(letter: char) -> bool {
    letter.is_ascii_hexdigit()
}

const FAMILIES: &[Family] = &[
    ("github_pat_", word, 20, "github"),
    ("ghp_", word, 20, "github"),
    ("gho_", word, 20, "github"),
    ("ghu_", word, 20, "github"),
    ("ghs_", dotted, 20, "github"),
    ("ghr_", word, 20, "github"),
    ("glpat-", dotted, 16, "gitlab"),
    ("gldt-", dashed, 16, "gitlab"),
    ("glrt-", dotted, 16, "gitlab"),
    ("glcbt-", dashed, 16, "gitlab"),
    ("glptt-", dashed, 16, "gitlab"),
    ("npm_", alnum, 30, "npm"),
    ("pypi-", dashed, 32, "pypi"),
    ("rubygems_", hex, 32, "rubygems"),
    ("cio", alnum, 32, "crates"),
    ("xoxb-", dashed, 16, "slack"),
    ("xoxa-", dashed, 16, "slack"),
    ("xoxp-", dashed, 16, "slack"),
    ("xoxr-", dashed, 16, "slack"),
    ("xoxs-", dashed, 16, "slack"),
    ("xoxe.", dotted, 16, "slack"),
    ("xapp-", dashed, 16, "slack"),
    ("sk_live_", alnum, 16, "stripe"),
    ("sk_test_", alnum, 16, "stripe"),
    ("rk_live_", alnum, 16, "stripe"),
    ("rk_test_", alnum, 16, "stripe"),
    ("pk_live_", alnum, 16, "stripe"),
    ("pk_test_", alnum, 16, "stripe"),
    ("whsec_", base64, 24, "stripe"),
    ("AKIA", capital, 16, "aws"),
    ("ASIA", capital, 16, "aws"),
    ("AIza", dashed, 30, "google"),
    ("ya29.", dotted, 20, "google"),
    ("GOCSPX-", dashed, 20, "google"),
    ("sk-ant-", dashed, 16, "anthropic"),
    ("sk-proj-", dashed, 16, "openai"),
    ("sk-svcacct-", dashed, 16, "openai"),
    ("sk-or-v1-", hex, 32, "openrouter"),
    ("sk-", alnum, 20, "openai"),
    ("xai-", alnum, 40, "xai"),
    ("gsk_", alnum, 32, "groq"),
    ("pplx-", alnum, 32, "perplexity"),
    ("hf_", alnum, 24, "huggingface"),
    ("r8_", alnum, 32, "replicate"),
    ("dop_v1_", hex, 32, "digitalocean"),
    ("doo_v1_", hex, 32, "digitalocean"),
    ("dor_v1_", hex, 32, "digitalocean"),
    ("SG.", dotted, 32, "sendgrid"),
    ("SK", hex, 32, "twilio"),
    ("key-", hex, 32, "mailgun"),
    ("shpat_", hex, 32, "shopify"),
    ("shpss_", hex, 32, "shopify"),
    ("sq0atp-", dashed, 20, "square"),
    ("sq0csp-", dashed, 40, "square"),
    ("hvs.", dashed, 20, "vault"),
    ("hvb.", dashed, 20, "vault"),
    ("dapi", hex, 32, "databricks"),
    ("lin_api_", alnum, 30, "linear"),
    ("ntn_", alnum, 30, "notion"),
    ("figd_", dashed, 30, "figma"),
    ("PMAK-", dashed, 30, "postman"),
    ("dckr_pat_", dashed, 20, "docker"),
    ("sbp_", hex, 32, "supabase"),
    ("sntrys_", base64, 32, "sentry"),
    ("glsa_", word, 30, "grafana"),
    ("tfp_", alnum, 30, "typeform"),
    ("age-secret-key-1", alnum, 40, "age"),
    ("AGE-SECRET-KEY-1", alnum, 40, "age"),
    ("AccountKey=", base64, 40, "azure"),
    ("SharedAccessSignature=", base64, 24, "azure"),
    ("sig=", |letter| base64(letter) || letter == '%', 32, "azure"),
];

pub(super) fn scan(text: &str, finds: &mut Vec<Find>) {
    blocks(text, finds);
    for (prefix, letters, least, label) in FAMILIES {
        let mut done = 0;
        for (from, _) in text.match_indices(prefix) {
            let before = text.get(..from).and_then(|before| before.chars().next_back());
            if from < done || before.is_some_and(|letter| letter.is_alphanumeric() || letter == '_') {
                continue;
            }
            let rest = text.get(from + prefix.len()..).unwrap_or_default();
            let length = run(rest, letters);
            if length < *least {
                continue;
            }
            done = from + prefix.len() + length;
            // short prefixes are also the beginning of words
            let body = rest.get(..length).unwrap_or_default();
            let mixed = body.bytes().any(|byte| byte.is_ascii_digit());
            if !mixed && prefix.len() < 6 && !matches!(*label, "openai" | "aws") {
                continue;
            }
            let keeps = if prefix.ends_with('=') { prefix.len() } else { 0 };
            finds.push(Find { from: from + keeps, to: from + prefix.len() + length, label });
        }
    }
    web_tokens(text, finds);
}

/// Three parts of base64 with dots between, the first a JSON object.
fn web_tokens(text: &str, finds: &mut Vec<Find>) {
    let mut next = 0;
    for (from, _) in text.match_indices("eyJ") {
        if from < next {
            continue;
        }
        let rest = text.get(from..).unwrap_or_default();
        let length = run(rest, |letter| dotted(letter) || letter == '=');
        let parts = rest.get(..length).unwrap_or_default().split('.');
        next = from + length;
        if parts.clone().count() >= 2 && parts.take(2).all(|part| part.len() >= 8) || length >= 100 {
            finds.push(Find { from, to: from + length, label: "jwt" });
        }
    }
}

/// Private key blocks, to their end line or, cut off, to the end of the text.
fn blocks(text: &str, finds: &mut Vec<Find>) {
    let mut done = 0;
    for (from, begin) in text.match_indices("-----BEGIN ") {
        if from < done {
            continue;
        }
        let rest = text.get(from + begin.len()..).unwrap_or_default();
        let title = rest.split("-----").next().unwrap_or_default();
        if title.len() > 64 || !title.contains("PRIVATE KEY") {
            continue;
        }
        let end = rest.find("-----END ").map(|end| {
            let tail = rest.get(end + 9..).unwrap_or_default();
            end + 9 + tail.find("-----").map_or(tail.len(), |close| close + 5)
        });
        done = from + begin.len() + end.unwrap_or(rest.len());
        finds.push(Find { from, to: done, label: "private-key" });
    }
}
