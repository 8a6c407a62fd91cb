//! Maven and Gradle: what their goals and tasks do, by their conventional names.

use crate::action::{Capability, Mark};
use crate::classify::draft::Draft;
use crate::classify::program::Scene;
use crate::classify::usage::Parsed;
use crate::classify::verb::words;

pub(super) fn maven(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    judge(draft, parsed, scene, |goal| {
        use Capability as C;
        Some(match goal {
            "test" | "verify" | "integration-test" | "test-compile" | "spotless:check" | "checkstyle:check" | "pmd:check" => C::Test,
            "validate" | "compile" | "package" | "clean" | "site" | "process-resources" | "generate-sources" | "process-classes"
            | "prepare-package" | "initialize" | "process-test-resources" | "generate-resources" => C::Build,
            "install" => C::Package,
            "deploy" | "site-deploy" => C::PackagePublish,
            "spotless:apply" | "fmt:format" | "versions:set" | "versions:use-latest-releases" | "license:format" => C::WriteWorkspace,
            _ if goal.starts_with("release:") || goal.ends_with(":deploy") || goal.starts_with("deploy:") => C::PackagePublish,
            _ if goal.starts_with("dependency:") || goal.starts_with("help:") || goal.starts_with("versions:display-") => C::Inspect,
            _ if goal.starts_with("surefire:") || goal.starts_with("failsafe:") || goal.starts_with("jacoco:") => C::Test,
            _ => return None,
        })
    });
}

pub(super) fn gradle(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    judge(draft, parsed, scene, |task| {
        use Capability as C;
        let name = task.rsplit(':').next().unwrap_or(task);
        let begins = |starts: &[&str]| starts.iter().any(|start| name.starts_with(start));
        Some(match name {
            "tasks" | "projects" | "properties" | "help" | "dependencies" | "dependencyInsight" | "buildEnvironment" | "signingReport"
            | "outgoingVariants" | "javaToolchains" | "kotlinDslAccessorsReport" => C::Inspect,
            "spotlessApply" | "ktlintFormat" | "wrapper" | "apiDump" | "updateDaemonJvm" | "formatKotlin" => C::WriteWorkspace,
            "publishToMavenLocal" => C::Package,
            "build" | "assemble" | "jar" | "classes" | "testClasses" | "clean" | "javadoc" | "dokka" | "dokkaHtml" | "shadowJar" | "war"
            | "bootJar" | "distZip" | "installDist" | "kspKotlin" => C::Build,
            "check" | "detekt" | "ktlintCheck" | "spotlessCheck" | "apiCheck" | "jacocoTestReport" | "lint" => C::Test,
            _ if begins(&["publish", "upload", "release", "closeAndRelease"]) => C::PackagePublish,
            _ if begins(&["assemble", "compile", "bundle", "process", "generate", "package", "link", "merge", "clean"]) => C::Build,
            _ if begins(&["test", "lint", "check", "connected"]) || name.ends_with("Test") || name.ends_with("Tests") => C::Test,
            _ => return None,
        })
    });
}

/// The strictest of what the words mean; one that is not known is opaque.
fn judge(draft: &mut Draft, parsed: &Parsed<'_>, scene: &Scene<'_>, meaning: fn(&str) -> Option<Capability>) {
    let words = words(parsed);
    let tasks: Vec<&str> = words.into_iter().filter(|word| !word.starts_with('-')).collect();
    let mut worst: Option<Capability> = None;
    for task in &tasks {
        let Some(found) = meaning(task) else {
            draft.become_(Capability::Unknown);
            draft.opaque(Some(scene.span), format!("the task `{task}` is not known"));
            return;
        };
        let heavier = |known: Capability| order(found) > order(known);
        worst = Some(worst.filter(|known| !heavier(*known)).unwrap_or(found));
    }
    let Some(worst) = worst else {
        draft.become_(Capability::Inspect);
        return;
    };
    let marks: Vec<Mark> = draft.marks.clone();
    draft.become_(worst);
    draft.marks = marks;
}

fn order(capability: Capability) -> (u8, u8) {
    let kind = match capability {
        Capability::Inspect => 0,
        Capability::Build => 1,
        Capability::Test => 2,
        Capability::WriteWorkspace => 3,
        _ => 4,
    };
    (capability.default_blast().tier(), kind)
}
