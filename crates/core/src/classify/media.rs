//! Media tools: which word is written, what a name with a prefix really reads, what leaves by a stream.

use super::arg::Arg;
use super::code::Code;
use super::draft::{self, Draft};
use super::program::Scene;
use super::usage::Parsed;
use super::verb::{self, words};
use crate::action::{Capability, Role, TargetKind};

pub(super) const CODES: &[(&str, Code)] = &[
    ("media.ffmpeg", ffmpeg),
    ("media.input", input),
    ("media.magick", magick),
    ("media.stdout", stdout),
    ("media.converter", converter),
];

/// Names that ffmpeg reads as something else than a file.
fn protocol(text: &str) -> Option<&str> {
    let (head, _) = text.split_once(':')?;
    (head.len() > 1 && head.chars().all(|letter| letter.is_ascii_alphanumeric())).then_some(head)
}

fn input(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    for found in parsed.options.iter().filter(|found| found.name == "-i") {
        let Some(value) = &found.value else { continue };
        match protocol(value.prefix()) {
            _ if matches!(value.exact(), Some("-" | "pipe:" | "pipe:0")) => {}
            Some("http" | "https" | "rtmp" | "rtsp" | "rtp" | "udp" | "tcp" | "ftp" | "srt" | "hls" | "mms") => {
                draft::add_url(draft, value, Role::Connect);
                draft.at_least(Capability::NetFetch);
            }
            Some("file") => verb::path(draft, scene, &value.after(5), Role::Read),
            Some(_) => draft.opaque(Some(value.span), "an input that names further files"),
            None => verb::path(draft, scene, value, Role::Read),
        }
        if [".m3u8", ".ffconcat", ".txt"].iter().any(|end| value.prefix().ends_with(end)) {
            draft.note("a list that names further files");
        }
    }
}

fn ffmpeg(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let formats: Vec<&str> = parsed
        .options
        .iter()
        .filter(|found| found.name == "-f")
        .filter_map(|found| found.value.as_ref())
        .map(Arg::prefix)
        .collect();
    if formats.contains(&"tee") || parsed.operands.iter().any(|operand| operand.1.prefix().contains(['[', '|'])) {
        draft.opaque(Some(scene.span), "several outputs in one name");
    }
    if formats.contains(&"concat") {
        draft.opaque(Some(scene.span), "a list that names further files");
    }
    if formats.iter().any(|format| {
        matches!(
            *format,
            "avfoundation" | "x11grab" | "gdigrab" | "pulse" | "alsa" | "v4l2" | "dshow" | "kmsgrab" | "decklink"
        )
    }) {
        draft.targets.retain(|target| target.role != Role::Read);
        verb::prints_secret(draft, "records the screen, a camera or a microphone");
    }
    let devices = formats.iter().any(|format| matches!(*format, "lavfi" | "null"));
    for target in &mut draft.targets {
        let network =
            target.role == Role::Write && protocol(&target.text).is_some_and(|head| !matches!(head, "file" | "pipe"));
        if network {
            let name = target
                .text
                .split("://")
                .nth(1)
                .unwrap_or_default()
                .split(['/', ':'])
                .next()
                .unwrap_or_default()
                .to_owned();
            target.kind = TargetKind::Host { local: verb::local(&name), host: name };
            target.role = Role::Send;
        }
    }
    if draft.targets.iter().any(|target| target.role == Role::Send) {
        draft.at_least(Capability::NetSend);
    }
    if devices {
        draft.targets.retain(|target| !(target.role == Role::Read && target.text.contains('=')));
    }
    draft.targets.retain(|target| target.text != "-" && !target.text.starts_with("pipe:"));
}

/// ImageMagick: `|command`, `@file`, `msl:`, `ephemeral:` and addresses within names; `mogrify` writes what it reads.
fn magick(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let program = verb::program(scene);
    for (_, arg) in &parsed.operands {
        let text = arg.prefix();
        let hidden = text.starts_with('|')
            || text.contains('@')
            || [
                "msl:",
                "mvg:",
                "ephemeral:",
                "text:",
                "url:",
                "http:",
                "https:",
                "ftp:",
                "win:",
                "x:",
                "screenshot:",
                "print:",
                "scan:",
                "show:",
            ]
            .iter()
            .any(|start| text.to_ascii_lowercase().starts_with(start));
        if hidden {
            draft.opaque(Some(arg.span), "a name that reads, runs or fetches something else");
        }
    }
    if program == "mogrify" || words(parsed).first() == Some(&"mogrify") {
        draft.at_least(Capability::WriteWorkspace);
        for target in &mut draft.targets {
            target.role = if target.role == Role::Read { Role::Write } else { target.role };
        }
    } else if matches!(program.as_str(), "import" | "display" | "animate") {
        verb::prints_secret(draft, "takes a picture of the screen, or shows one");
    } else if parsed.operands.len() < 2 && program == "magick" {
        let word = words(parsed).first().copied().unwrap_or_default().to_owned();
        if matches!(word.as_str(), "identify" | "compare") {
            draft.become_(Capability::ReadWorkspace);
        }
    }
    draft.targets.retain(|target| {
        let formats = ["-", "info:", "info:-", "null:", "txt:", "txt:-", "json:", "json:-", "xc:", "rose:", "logo:"];
        !formats.contains(&target.text.as_str())
            && !target.text.starts_with("xc:")
            && !target.text.starts_with("gradient:")
            && !target.text.starts_with("canvas:")
    });
    if matches!(words(parsed).first().copied(), Some("identify")) {
        for target in &mut draft.targets {
            target.role = if target.role == Role::Write { Role::Read } else { target.role };
        }
    }
}

/// `-` and `stdout` are not files.
fn stdout(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    draft.targets.retain(|target| !matches!(target.text.as_str(), "-" | "stdout"));
    let reads =
        !matches!(verb::program(scene).as_str(), "pdftotext" | "pdftohtml" | "tesseract" | "djpeg" | "ocrmypdf");
    if reads {
        // every file is an input
        for target in &mut draft.targets {
            target.role = if target.role == Role::Write { Role::Read } else { target.role };
        }
    }
    let _ = parsed;
}

/// Programs that rewrite the files that they are given.
const REWRITES: &[&str] = &["jpegoptim", "optipng", "oxipng", "svgo", "svgcleaner", "pngquant"];
/// Programs whose last word is what they write.
const LAST: &[&str] = &[
    "sox",
    "qpdf",
    "pdftk",
    "pdfunite",
    "pdfseparate",
    "ps2pdf",
    "pdf2ps",
    "pdftoppm",
    "pdftocairo",
    "img2pdf",
    "ocrmypdf",
    "wkhtmltopdf",
    "wkhtmltoimage",
    "weasyprint",
    "ebook-convert",
    "gif2webp",
    "lame",
    "heif-convert",
    "mp4fragment",
    "cairosvg",
    "avifenc",
    "avifdec",
    "fonttools",
    "d2",
    "agg",
    "gltf-transform",
    "zopflipng",
    "woff2_compress",
    "assimp",
    "a2ps",
];
/// Programs that run the document's own code.
const EXECUTES: &[&str] = &[
    "blender",
    "openscad",
    "povray",
    "gnuplot",
    "manim",
    "remotion",
    "vhs",
    "asciinema",
    "fontforge",
    "soffice",
    "libreoffice",
    "unoconv",
    "plantuml",
];

fn converter(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let program = verb::program(scene);
    let words = words(parsed);
    let given = |names: &[&str]| parsed.args.iter().any(|arg| verb::is(arg, names));
    let addresses: Vec<Arg> =
        parsed.operands.iter().map(|operand| operand.1.clone()).filter(|arg| arg.prefix().contains("://")).collect();
    if !addresses.is_empty() {
        draft.at_least(Capability::NetFetch);
        addresses.iter().for_each(|arg| draft::add_url(draft, arg, Role::Connect));
    }
    match program.as_str() {
        "exiftool"
            if parsed.args.iter().any(|arg| {
                arg.prefix().starts_with('-') && arg.prefix().contains('=')
                    || verb::is(arg, &["-overwrite_original", "-delete_original"])
            }) =>
        {
            rewrite(draft);
        }
        "exiftool" if given(&["-config", "-if", "-p", "-@", "-execute"]) => {
            draft.opaque(Some(scene.span), "expressions or arguments that are not read")
        }
        "sips"
            if given(&[
                "-s",
                "-Z",
                "-z",
                "-r",
                "-f",
                "-c",
                "--setProperty",
                "--resampleWidth",
                "--resampleHeight",
                "--rotate",
                "--flip",
            ]) && !given(&["--out", "-o"]) =>
        {
            rewrite(draft)
        }
        "yt-dlp" | "youtube-dl" | "gallery-dl" | "streamlink" => draft.at_least(Capability::NetFetch),
        "latexmk"
            if parsed.args.iter().any(|arg| {
                matches!(arg.prefix(), "-e" | "-r")
                    || arg.prefix().starts_with("-pdflatex=")
                    || arg.prefix().starts_with("-latex=")
                    || arg.prefix().starts_with("-usepretex")
            }) =>
        {
            draft.become_(Capability::Build);
            draft.opaque(Some(scene.span), "code that latexmk runs");
        }
        "pdflatex" | "xelatex" | "lualatex" | "latex" | "latexmk" | "tectonic" | "bibtex" | "biber" | "typst"
        | "makeindex" | "groff" | "troff" => {
            draft.become_(Capability::Build);
        }
        name if REWRITES.contains(&name)
            && !given(&[
                "-n",
                "--noaction",
                "-d",
                "--dest",
                "-o",
                "--output",
                "--stdout",
                "--dir",
                "-out",
                "--out",
                "--pretend",
                "-simulate",
            ]) =>
        {
            rewrite(draft)
        }
        name if EXECUTES.contains(&name) => {
            draft.become_(Capability::Unknown);
            draft.opaque(Some(scene.span), "runs what its document says");
        }
        name if LAST.contains(&name) && parsed.operands.len() > 1 => {
            if let Some((_, last)) = parsed.operands.last()
                && last.exact() != Some("-")
            {
                draft.targets.retain(|target| target.span != Some(last.span));
                verb::path(draft, scene, last, Role::Write);
            }
        }
        "gs" | "ghostscript" if given(&["-dNOSAFER", "-dDELAYSAFER"]) => {
            draft.opaque(Some(scene.span), "documents that may read and write files")
        }
        _ => {}
    }
    // `-sOutputFile=FILE`, `-output-directory=DIR`
    for arg in parsed.args {
        if let Some(file) = arg.prefix().strip_prefix("-sOutputFile=")
            && !matches!(file, "-" | "%stdout")
        {
            let at = "-sOutputFile=".len();
            verb::path(draft, scene, &arg.after(at), Role::Write);
        }
    }
    if words.first() == Some(&"serve") || words.first() == Some(&"watch") {
        draft.note("keeps running");
    }
}

fn rewrite(draft: &mut Draft) {
    draft.at_least(Capability::WriteWorkspace);
    for target in &mut draft.targets {
        target.role = if target.role == Role::Read { Role::Write } else { target.role };
    }
}
