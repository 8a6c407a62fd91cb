//! `aws SERVICE OPERATION`.

use crate::action::{Capability, Exposure, Role, Scale};
use crate::classify::arg::Arg;
use crate::classify::draft::Draft;
use crate::classify::program::Scene;
use crate::classify::usage::Parsed;
use crate::classify::verb::{self, words};

/// Operations that print credentials: service, beginning of the operation.
const PRINTS: &[(&str, &str)] = &[
    ("secretsmanager", "get-secret-value"),
    ("secretsmanager", "batch-get-secret-value"),
    ("secretsmanager", "get-random-password"),
    ("ssm", "get-parameter"),
    ("kms", "decrypt"),
    ("kms", "generate-"),
    ("sts", "assume-"),
    ("sts", "get-session-token"),
    ("sts", "get-federation-token"),
    ("ecr", "get-login"),
    ("ecr", "get-authorization-token"),
    ("ecr-public", "get-"),
    ("codeartifact", "get-authorization-token"),
    ("codeartifact", "login"),
    ("eks", "get-token"),
    ("rds", "generate-db-auth-token"),
    ("redshift", "get-cluster-credentials"),
    ("ec2", "get-password-data"),
    ("ec2", "create-key-pair"),
    ("lightsail", "download-default-key-pair"),
    ("iam", "create-access-key"),
    ("iam", "create-service-specific-credential"),
    ("iam", "create-login-profile"),
    ("cognito-idp", "initiate-auth"),
    ("sso", "get-role-credentials"),
    ("configure", "get"),
    ("configure", "export-credentials"),
    ("iot", "create-keys-and-certificate"),
];

/// Descriptions that hold credentials.
const HOLDS: &[(&str, &str)] = &[
    ("ec2", "describe-instance-attribute"),
    ("ec2", "get-launch-template-data"),
    ("ec2", "describe-launch-template-versions"),
    ("lambda", "get-function"),
    ("lambda", "list-functions"),
    ("ecs", "describe-task-definition"),
    ("cloudformation", "get-template"),
    ("cloudformation", "describe-stacks"),
    ("apigateway", "get-api-key"),
    ("amplify", "get-app"),
    ("elasticbeanstalk", "describe-configuration-settings"),
    ("codebuild", "batch-get-projects"),
    ("glue", "get-connection"),
    ("batch", "describe-job-definitions"),
];

/// Operations that run code.
const EXECUTES: &[(&str, &str)] = &[
    ("ssm", "send-command"),
    ("ssm", "start-session"),
    ("ssm", "start-automation"),
    ("lambda", "invoke"),
    ("ecs", "execute-command"),
    ("ecs", "run-task"),
    ("ec2", "run-instances"),
    ("ec2-instance-connect", ""),
    ("codebuild", "start-build"),
    ("glue", "start-"),
    ("stepfunctions", "start-"),
    ("batch", "submit-job"),
    ("emr", "add-steps"),
    ("sagemaker", "create-training-job"),
    ("rds-data", "execute-"),
    ("redshift-data", "execute-"),
    ("athena", "start-query-execution"),
    ("cloudshell", ""),
];

const READS: &[&str] = &[
    "describe",
    "list",
    "get",
    "head",
    "search",
    "lookup",
    "tail",
    "filter",
    "estimate",
    "view",
    "check",
    "validate",
    "detect",
    "query",
    "scan",
    "wait",
    "batch-get",
    "select",
    "simulate",
    "preview",
    "history",
    "help",
    "test",
    "count",
    "discover",
];
const DESTROYS: &[&str] = &[
    "delete",
    "terminate",
    "remove",
    "destroy",
    "purge",
    "deregister",
    "batch-delete",
    "revoke",
    "cancel",
    "empty",
    "forget",
    "release",
];
const CHANGES: &[&str] = &[
    "create",
    "update",
    "put",
    "modify",
    "start",
    "stop",
    "run",
    "attach",
    "detach",
    "add",
    "set",
    "tag",
    "untag",
    "associate",
    "disassociate",
    "enable",
    "disable",
    "register",
    "publish",
    "send",
    "upload",
    "import",
    "export",
    "copy",
    "restore",
    "reboot",
    "allocate",
    "authorize",
    "apply",
    "deploy",
    "execute",
    "invoke",
    "subscribe",
    "unsubscribe",
    "batch-write",
    "transact",
    "replace",
    "rotate",
    "request",
    "reset",
    "resume",
    "scale",
    "change",
    "failover",
    "promote",
    "accept",
    "reject",
    "initiate",
    "complete",
    "push",
    "move",
    "merge",
    "tag-resource",
    "continue",
    "retry",
    "redrive",
    "schedule",
    "assign",
    "unassign",
    "sync",
];

fn listed(table: &[(&str, &str)], service: &str, operation: &str) -> bool {
    table.iter().any(|row| row.0 == service && operation.starts_with(row.1))
}

pub(super) fn run(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>) {
    let words = words(parsed);
    let service = words.first().copied().unwrap_or_default();
    let operation = words.get(1).copied().unwrap_or_default();
    let flag = |name: &str| parsed.args.iter().any(|arg| verb::is(arg, &[name]));
    match service {
        "" => return draft.opaque(Some(scene.span), "which service is meant is not known"),
        "help" => return draft.become_(Capability::Inspect),
        "s3" => return s3(draft, parsed, scene, operation),
        "sts" if operation == "get-caller-identity" => return verb::looks(draft, Capability::Cloud),
        "configure" if matches!(operation, "list" | "list-profiles") => return draft.become_(Capability::Inspect),
        "configure" if operation == "get" => {
            let key = words.get(2).copied().unwrap_or("secret");
            return if matches!(key, "region" | "output") {
                draft.become_(Capability::Inspect)
            } else {
                draft.become_(Capability::SecretRead)
            };
        }
        "configure" | "login" | "logout" => {
            draft.become_(Capability::WriteOutside);
            return draft.note("changes credentials or settings of every later call");
        }
        "sso" if matches!(operation, "login" | "logout") => return draft.become_(Capability::SecretRead),
        "eks" if operation == "update-kubeconfig" => return draft.become_(Capability::WriteOutside),
        _ => {}
    }
    let stem = operation.split('-').next().unwrap_or_default();
    let begins = |table: &[&str]| {
        table.iter().any(|word| *word == stem || operation.starts_with(&format!("{word}-")) || operation == *word)
    };
    if listed(PRINTS, service, operation) {
        draft.become_(Capability::SecretRead);
        draft.note("prints a credential");
        if service == "iam" {
            draft.blast = draft.blast.at_least(Capability::Privilege.default_blast());
        }
    } else if flag("--dry-run") && service == "ec2" {
        verb::looks(draft, Capability::Cloud);
    } else if listed(EXECUTES, service, operation) {
        draft.become_(Capability::Remote);
        draft.opaque(Some(scene.span), "runs code in the cloud");
    } else if begins(READS) {
        verb::looks(draft, Capability::Cloud);
        if listed(HOLDS, service, operation) {
            draft.blast.exposure = Exposure::CanExfiltrate;
            draft.note("prints configuration that can hold credentials");
        }
    } else if matches!(service, "iam" | "organizations" | "sso-admin" | "identitystore" | "ram" | "account") {
        verb::privileged(draft, "changes rights in the cloud");
    } else if begins(DESTROYS) {
        let data = [
            "rds",
            "dynamodb",
            "s3api",
            "cloudformation",
            "efs",
            "redshift",
            "elasticache",
            "es",
            "opensearch",
            "docdb",
            "backup",
        ];
        verb::destroys(draft, Capability::Cloud, if data.contains(&service) { Scale::Sweeping } else { Scale::Many });
    } else if begins(CHANGES) {
        draft.become_(Capability::Cloud);
    } else {
        draft.opaque(Some(scene.span), format!("the operation `{operation}` is not known"));
    }
    // `s3api get-object … FILE` and the like write their last word
    if let Some((_, last)) = parsed.operands.iter().skip(2).next_back()
        && matches!(
            operation,
            "get-object" | "get-object-torrent" | "get-export" | "invoke" | "get-sdk" | "get-job-output"
        )
    {
        verb::path(draft, scene, last, Role::Write);
        if operation == "get-object" {
            draft.become_(Capability::WriteWorkspace);
        }
    }
    for arg in parsed.args.iter().filter(|arg| arg.prefix().contains("file://") || arg.prefix().starts_with("fileb://"))
    {
        let text = arg.prefix();
        if let Some((_, file)) = text.split_once("file://").or_else(|| text.split_once("fileb://")) {
            verb::path(draft, scene, &Arg::text(file, arg.span), Role::Read);
        }
    }
}

fn s3(draft: &mut Draft, parsed: &Parsed<'_>, scene: &mut Scene<'_>, operation: &str) {
    let flag = |name: &str| parsed.args.iter().any(|arg| verb::is(arg, &[name]));
    match operation {
        "ls" => verb::looks(draft, Capability::Cloud),
        "presign" => {
            verb::looks(draft, Capability::Cloud);
            draft.blast.exposure = Exposure::CanExfiltrate;
            draft.note("makes an address that everyone can read");
        }
        "rm" | "rb" => verb::destroys(
            draft,
            Capability::Cloud,
            if flag("--recursive") || operation == "rb" { Scale::Sweeping } else { Scale::Single },
        ),
        "mb" | "website" => draft.become_(Capability::Cloud),
        "cp" | "mv" | "sync" => {
            let ends: Vec<Arg> = parsed.operands.iter().skip(2).map(|operand| operand.1.clone()).collect();
            super::storage::transfer(draft, scene, &ends, operation == "mv", flag("--delete"));
            if flag("--recursive") || operation == "sync" {
                draft.blast.scale = draft.blast.scale.max(Scale::Many);
            }
            if parsed
                .args
                .iter()
                .any(|arg| arg.prefix().starts_with("public-read") || arg.prefix().contains("acl=public"))
            {
                draft.blast.exposure = Exposure::CanExfiltrate;
                draft.note("opens it to everyone");
            }
            if flag("--dryrun") {
                verb::looks(draft, Capability::Cloud);
            }
        }
        _ => draft.opaque(Some(scene.span), format!("the operation `{operation}` is not known")),
    }
}
