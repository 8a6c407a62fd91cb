//! Makes a long history for `scripts/ledger-ratio.sh`: a ledger of so many megabytes, so many signatures learned.

use leastgrant::agent::HookEnv;
use leastgrant::store::event::Event;
use leastgrant::store::{Store, ledger};

#[test]
#[ignore = "makes a gigabyte; run by scripts/ledger-ratio.sh"]
fn grown() {
    let home = std::env::var("LEASTGRANT_GROWN_HOME").unwrap();
    let number = |name: &str| std::env::var(name).unwrap().parse::<usize>().unwrap();
    let (bytes, signatures) = (number("LEASTGRANT_GROWN_MEGABYTES") * 1_000_000, number("LEASTGRANT_GROWN_SIGNATURES"));
    let project = format!("{home}/project");
    let store = Store::at(format!("{home}/.leastgrant"));
    let now = i64::try_from(std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_millis()).unwrap();
    let mut at = 0;
    while at < signatures {
        let until = (at + 20_000).min(signatures);
        let events: Vec<Event> = (at..until)
            .map(|number| {
                let mut event = Event::new("evidence", now - 86_400_000).in_project(Some(&project));
                event.evidence = Some("confirmed");
                event.session = String::from("s");
                event.signatures = vec![format!("tool{number} <path> --all @exec.build/1101")];
                event
            })
            .collect();
        store.append_all(&events).unwrap();
        at = until;
    }
    let file = store.root().join("ledger.jsonl");
    let text = "cargo build ".repeat(80);
    while file.metadata().unwrap().len() < bytes as u64 {
        // harmless by making, so the redactor, which is slow in a debug build, has nothing to say
        let mut event = Event::new("session-start", now).in_project(Some(&project));
        event.note = Some(text.clone());
        let events = vec![event; 10_000];
        store.append_all(&events).unwrap();
    }
    let start = std::time::Instant::now();
    let home_of = home.clone();
    let env = HookEnv::from_lookup(move |name| (name == "HOME").then(|| home_of.clone()));
    store.rebuild(&env, now).unwrap();
    let length = file.metadata().unwrap().len();
    println!("{length} bytes, {signatures} signatures; the snapshot took {:.1} s", start.elapsed().as_secs_f64());
    assert!(ledger::verify(&Store::at(format!("{home}/none"))).unwrap().intact());
}
