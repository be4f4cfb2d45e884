use std::convert::Infallible;

use super::*;

/// Two subjects, the second with variants of two and of three replications.
fn jobs() -> Jobs<char> {
    let mut jobs = Jobs::new();
    jobs.add(vec![('a', 1)], 10, 1);
    jobs.add(vec![('b', 2), ('c', 3)], 1, 1);
    jobs
}

impl Packed for String {
    fn pack(&self) -> Option<String> {
        Some(self.clone())
    }

    fn unpack(text: &str) -> Option<Self> {
        Some(text.to_owned())
    }
}

fn name(job: &Job<'_, char>) -> String {
    format!("{}{}{}", job.subject, job.variant, job.replication)
}

#[test]
fn results_are_found_by_subject_variant_and_replication() {
    assert_eq!(jobs().len(), 6);
    for workers in [1, 2, 7] {
        let mut last = (0, 0);
        let job = |job: Job<'_, char>, _: &Stop| Ok::<_, Infallible>(Some(name(&job)));
        let report = |done, total| {
            last = (done, total);
            true
        };
        let Ok(found) = jobs().run(Some(workers), job, report);
        let found: Vec<_> = found.into_iter().map(Results::complete).collect();
        let of = |v: char, names: &[&str]| (v, names.iter().map(|n| (*n).to_owned()).collect());
        assert_eq!(found[0], (vec![of('a', &["0a0"])], true));
        let second = vec![of('b', &["1b0", "1b1"]), of('c', &["1c0", "1c1", "1c2"])];
        assert_eq!(found[1], (second, true));
        assert_eq!(last, (15, 15));
    }
}

#[test]
fn batches_change_no_result() {
    for (workers, batch) in [(1, 2), (2, 2), (2, 3), (3, 100), (1, 0)] {
        let mut jobs = Jobs::new();
        jobs.add(vec![('a', 2), ('b', 3)], 1, batch);
        jobs.add(vec![('c', 1)], 1, batch);
        let job = |job: Job<'_, char>, _: &Stop| Ok::<_, Infallible>(Some(name(&job)));
        let Ok(found) = jobs.run(Some(workers), job, |_, _| true);
        let all: Vec<_> =
            found.into_iter().flat_map(|r| r.complete().0).flat_map(|(_, f)| f).collect();
        assert_eq!(all, ["0a0", "0a1", "0b0", "0b1", "0b2", "1c0"], "{workers} {batch}");
    }
}

#[test]
fn a_batch_stops_at_the_job_that_was_stopped() {
    let mut jobs = Jobs::new();
    jobs.add(vec![('a', 4)], 1, 4);
    jobs.add(vec![('b', 4)], 1, 4);
    let job = |job: Job<'_, char>, stop: &Stop| {
        if job.replication == 2 {
            stop.set();
            return Ok::<_, Infallible>(None);
        }
        Ok(Some(name(&job)))
    };
    let Ok(found) = jobs.run(Some(1), job, |_, _| true);
    let found: Vec<_> = found.into_iter().map(Results::complete).collect();
    let names = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
    assert_eq!(found[0], (vec![('a', names(&["0a0", "0a1"]))], false));
    assert_eq!(found[1], (vec![('b', names(&[]))], false));
}

#[test]
fn what_is_stopped_has_the_replications_that_all_variants_finished() {
    let job = |job: Job<'_, char>, stop: &Stop| {
        // The fifth job, the second replication of `c`, is the first that does not end.
        if name(&job) == "1c1" {
            stop.set();
            return Ok::<_, Infallible>(None);
        }
        Ok(Some(name(&job)))
    };
    let Ok(found) = jobs().run(Some(1), job, |_, _| true);
    let mut found = found.into_iter().map(Results::complete);
    assert!(found.next().unwrap().1);
    let first = |v: char| (v, vec![format!("1{v}0")]);
    assert_eq!(found.next().unwrap(), (vec![first('b'), first('c')], false));
}

#[test]
fn what_is_stopped_is_not_counted() {
    let job = |job: Job<'_, char>, stop: &Stop| {
        if name(&job) == "1c1" {
            stop.set();
            return Ok::<_, Infallible>(None);
        }
        Ok(Some(name(&job)))
    };
    let mut last = 0;
    let report = |done, _| {
        last = done;
        true
    };
    let Ok(_) = jobs().share(Some(1), job, |_| None, report);
    // The cost of the first subject, and one replication of both variants and the next of `b`.
    assert_eq!(last, 13);
}

#[test]
fn what_is_kept_runs_no_second_time() {
    let kept = std::sync::Arc::new(Kept::default());
    let _keeping = kept::keep(Some(kept.clone()));
    let key = |job: &Job<'_, char>| (*job.variant != 'b').then(|| name(job));
    let fails = |job: Job<'_, char>, _: &Stop| match name(&job) {
        name if name == "1c1" => Err(name),
        name => Ok(Some(name)),
    };
    assert_eq!(jobs().share(Some(1), fails, key, |_, _| true).unwrap_err(), "1c1");
    assert_eq!(kept.len(), 2);
    let ran = std::sync::Mutex::new(Vec::new());
    let again = |job: Job<'_, char>, _: &Stop| {
        ran.lock().unwrap().push(name(&job));
        Ok::<_, Infallible>(Some(name(&job).to_uppercase()))
    };
    let Ok(_) = jobs().share(Some(1), again, key, |_, _| true);
    assert_eq!(*ran.lock().unwrap(), ["1b0", "1b1", "1c1", "1c2"]);
    // A call that stops before its first job has what is kept.
    let Ok(found) = jobs().share(Some(1), again, key, |_, _| false);
    let of: Vec<_> = found.into_iter().flat_map(|results| results.variants).collect();
    assert_eq!(of[0].1, [Some("0a0".to_owned())]);
    assert_eq!(of[1].1, [None, None]);
    let c = ["1c0", "1C1", "1C2"].map(|text| Some(text.to_owned()));
    assert_eq!(of[2].1, c);
}

#[test]
fn an_error_stops_the_others_and_is_given() {
    let job = |job: Job<'_, char>, _: &Stop| match name(&job) {
        name if name == "1b1" => Err(name),
        name => Ok(Some(name)),
    };
    assert_eq!(jobs().run(Some(1), job, |_, _| true).unwrap_err(), "1b1");
}
