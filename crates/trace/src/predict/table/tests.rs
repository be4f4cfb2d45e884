use std::collections::BTreeMap;

use airtcp_random::Seed;
use airtcp_units::detmath::ln;

use super::*;
use crate::predict::error::FitProblem;

fn link(i: usize, prr: f64, mu: f64, rate: f64) -> LinkSample {
    LinkSample {
        name: format!("link-{i}"),
        prr,
        mu: Some(mu),
        packets_per_second: rate,
        link_packets_per_second: 100.0,
        metrics: BTreeMap::new(),
    }
}

/// Links of intermediate PRR whose throughput follows PRR and mu, plus noise.
fn links(n: usize, seed: u64) -> Vec<LinkSample> {
    let mut stream = Seed::new(seed).stream("table");
    (0..n)
        .map(|i| {
            let (prr, mu) = (stream.uniform(0.2, 0.6), stream.uniform(0.0, 0.95));
            let rate = 40.0 * prr * prr + 20.0 * prr * mu * mu + stream.uniform(0.0, 5.0);
            link(i, prr, mu, rate)
        })
        .collect()
}

fn table(links: &[LinkSample]) -> FitTable {
    fit_throughput(links, &FitOptions::default()).unwrap()
}

#[test]
fn a_law_that_holds_is_found() {
    let law = |prr: f64, mu: f64| {
        3.0 + 10.0 * prr + 40.0 * prr * prr + 6.0 * mu - mu * mu + 9.0 * prr * mu
    };
    let links: Vec<LinkSample> = links(30, 1)
        .iter()
        .enumerate()
        .map(|(i, l)| {
            let mu = l.mu.unwrap();
            link(i, l.prr, mu, law(l.prr, mu))
        })
        .collect();
    let fit = table(&links).fit("second-order").unwrap().clone();
    let wanted = [0.1, 0.4, 0.06, -0.01, 0.09, 0.03];
    let terms = ["prr", "prr^2", "mu", "mu^2", "prr*mu", "1"];
    assert_eq!(fit.terms, terms);
    for (found, wanted) in fit.coefficients.unwrap().iter().zip(wanted) {
        assert!((found - wanted).abs() < 1e-8, "{found} {wanted}");
    }
    assert!(fit.error.unwrap() < 1e-10 && fit.leave_one_out_error.unwrap() < 1e-8);
    assert!(fit.bic.is_none(), "a perfect fit has no likelihood");
    for (estimate, link) in fit.estimates.unwrap().iter().zip(&links) {
        assert!((estimate - link.packets_per_second).abs() < 1e-8);
    }
}

#[test]
fn errors_are_those_of_the_estimates_and_coefficients() {
    let links = links(60, 2);
    let table = table(&links);
    for fit in &table.fits {
        let mean = |estimates: &[f64]| {
            let off = estimates.iter().zip(&links).map(|(e, l)| (e - l.packets_per_second).abs());
            off.sum::<f64>() / 60.0 / 100.0
        };
        let estimates = fit.estimates.as_ref().unwrap();
        let error = fit.error.unwrap();
        assert!((mean(estimates) - error).abs() < 1e-12);
        let out = fit.leave_one_out_estimates.as_ref().unwrap();
        assert!((mean(out) - fit.leave_one_out_error.unwrap()).abs() < 1e-10);
        assert!(fit.leave_one_out_error.unwrap() > error, "{}", fit.name);
        let k = fit.terms.len() as f64;
        // The likelihood, written out: n ln(1 / (2 e)) - n at its best scale e.
        let likelihood = -60.0 * (ln(2.0 * error) + 1.0);
        let bic = (k + 1.0) * ln(60.0) - 2.0 * likelihood;
        assert!((fit.bic.unwrap() - bic).abs() < 1e-9);
        // The coefficients give the estimates.
        let coefficients = fit.coefficients.as_ref().unwrap();
        for (link, estimate) in links.iter().zip(estimates) {
            let at = [link.prr, link.mu.unwrap()];
            let names = ["prr".to_owned(), "mu".to_owned()];
            let terms = fit.terms[..fit.terms.len() - 1].iter();
            let sum: f64 = terms
                .zip(coefficients)
                .map(|(t, c)| c * Term::read(t, "x", &names).unwrap().value(&at))
                .sum();
            let share = sum + coefficients[coefficients.len() - 1];
            assert!((100.0 * share - estimate).abs() < 1e-5, "{}: {share} {estimate}", fit.name);
        }
    }
    // A form that contains another has no larger in-sample error.
    let error = |name: &str| table.fit(name).unwrap().error.unwrap();
    for narrow in ["linear", "quadratic", "inverse-root"] {
        assert!(error("combined") <= error(narrow) + 1e-12);
        assert!(error("15-term") <= error(narrow) + 1e-12);
    }
    assert!(error("15-term") <= error("second-order") + 1e-12);
    assert!(error("second-order") < 0.7 * error("combined"), "mu is worth something here");
}

#[test]
fn leaving_one_out_is_fitting_to_the_others() {
    let links = links(25, 3);
    let whole = table(&links);
    for i in 0..links.len() {
        let mut others = links.clone();
        let gone = others.remove(i);
        let rest = table(&others);
        for (fit, refit) in whole.fits.iter().zip(&rest.fits) {
            let names = ["prr".to_owned(), "mu".to_owned()];
            let at = [gone.prr, gone.mu.unwrap()];
            let c = refit.coefficients.as_ref().unwrap();
            let terms = fit.terms[..fit.terms.len() - 1].iter();
            let sum: f64 =
                terms.zip(c).map(|(t, c)| c * Term::read(t, "x", &names).unwrap().value(&at)).sum();
            let brute = 100.0 * (sum + c[c.len() - 1]);
            let found = fit.leave_one_out_estimates.as_ref().unwrap()[i];
            assert!(
                (found - brute).abs() < 1e-4 * (1.0 + brute.abs()),
                "{} {found} {brute}",
                fit.name
            );
        }
    }
}

#[test]
fn too_few_links() {
    let table = table(&links(5, 4));
    let state: Vec<(&str, bool)> =
        table.fits.iter().map(|f| (f.name.as_str(), f.coefficients.is_some())).collect();
    let wanted = [
        ("linear", true),
        ("quadratic", true),
        ("inverse-root", true),
        ("combined", true),
        ("second-order", false),
        ("15-term", false),
    ];
    assert_eq!(state, wanted);
    let second = table.fit("second-order").unwrap();
    let wanted = FitProblem::TooFewLinks { links: 5, coefficients: 6 };
    assert_eq!(second.problem, Some(wanted));
    let said = table.shortfall().unwrap();
    assert!(
        said.contains("second-order (6 coefficients need 7 links or more; there are 5)"),
        "{said}"
    );
    assert!(
        said.contains("what can be fitted: linear, quadratic, inverse-root, combined"),
        "{said}"
    );
    // Six links fit the combined form, and five of them still do; four links give it no room.
    let combined = table.fit("combined").unwrap();
    assert!(combined.leave_one_out_error.is_some() && combined.leave_one_out_note.is_none());
    let nothing = super::super::fit_throughput(&links(1, 4), &FitOptions::default()).unwrap();
    assert!(nothing.shortfall().unwrap().ends_with("nothing can be fitted"));
    assert!(nothing.formulas.iter().all(|f| f.error.is_finite()));
}

#[test]
fn singular_designs() {
    let mut same = links(30, 5);
    for link in &mut same {
        link.prr = 0.35;
    }
    let table = table(&same);
    let why = |name: &str| table.fit(name).unwrap().problem_text.clone();
    for form in ["linear", "quadratic", "inverse-root", "combined", "second-order"] {
        assert_eq!(why(form).as_deref(), Some("all 30 links have the same prr"), "{form}");
    }
    let said = table.shortfall().unwrap();
    assert!(
        said.starts_with(
            "cannot be fitted: linear, quadratic, inverse-root, combined, second-order"
        ),
        "{said}"
    );
    assert!(said.contains("15-term (all 30 links have the same prr); nothing can be"), "{said}");
    // Two values of PRR determine a line and no more.
    for (i, link) in same.iter_mut().enumerate() {
        link.prr = if i < 3 { 0.5 } else { 0.35 };
    }
    let table = self::table(&same);
    assert!(table.fit("linear").unwrap().error.is_some());
    let why = table.fit("combined").unwrap().problem_text.clone().unwrap();
    assert!(why.contains("there are 2 different values of prr"), "{why}");
    // One link of another PRR: it can be fitted, but not without that link.
    for (i, link) in same.iter_mut().enumerate() {
        link.prr = if i < 1 { 0.5 } else { 0.35 };
    }
    let table = self::table(&same);
    let linear = table.fit("linear").unwrap();
    assert!(linear.error.is_some() && linear.leave_one_out_error.is_none());
    let note = linear.leave_one_out_note.as_deref();
    assert_eq!(note, Some("without link \"link-0\" the form cannot be fitted"));
}

#[test]
fn a_further_metric_is_put_to_the_test() {
    // Throughput depends only on PRR and a hidden metric; mu is noise.
    let mut set = links(80, 6);
    let mut stream = Seed::new(7).stream("metric");
    for link in &mut set {
        let run = stream.uniform(1.0, 600.0);
        link.packets_per_second = 10.0 * link.prr + 0.02 * run;
        link.metrics.insert("longest".into(), Some(run));
        link.metrics.insert("useless".into(), Some(stream.unit()));
    }
    let metrics = ["longest", "useless", "log(longest)"].map(String::from).to_vec();
    let table = fit_throughput(&set, &FitOptions { metrics, ..FitOptions::default() }).unwrap();
    let out = |name: &str| table.fit(name).unwrap().leave_one_out_error.unwrap();
    assert!(out("prr & longest") < 1e-8);
    assert!(out("prr & mu + longest") < 1e-8);
    let without = out("second-order");
    assert!(out("prr & mu + log(longest)") < 0.8 * without);
    assert!(out("prr & mu + useless") > 0.9 * without);
    let logarithm = table.links[0].metrics["log(longest)"];
    assert!((logarithm - ln(table.links[0].metrics["longest"])).abs() < 1e-12);
    // User-defined forms.
    let own = Form { name: "own".into(), terms: vec!["prr".into(), "longest".into()] };
    let options = FitOptions {
        metrics: vec!["longest".into()],
        forms: Some(vec![own]),
        ..FitOptions::default()
    };
    let table = fit_throughput(&set, &options).unwrap();
    let c = table.fit("own").unwrap().coefficients.clone().unwrap();
    assert!((c[0] - 0.1).abs() < 1e-9 && (c[1] - 0.0002).abs() < 1e-12, "{c:?}");
}

#[test]
fn links_without_a_quantity_are_left_out() {
    let mut set = links(20, 8);
    set[3].mu = None;
    let table = table(&set);
    assert_eq!(table.links.len(), 19);
    let wanted = LeftOut { name: "link-3".into(), reason: "mu is not defined".into() };
    assert_eq!(table.left_out, [wanted]);
    // If no form uses mu, no quantity is missing.
    let forms = Some(Form::published()[..4].to_vec());
    let only_prr = fit_throughput(&set, &FitOptions { forms, ..FitOptions::default() }).unwrap();
    assert_eq!(only_prr.links.len(), 20);
    for link in &mut set {
        link.mu = None;
    }
    let error = fit_throughput(&set, &FitOptions::default()).unwrap_err().to_string();
    assert!(error.contains("no link to fit (link-0: mu is not defined; link-1"), "{error}");
}

#[test]
fn slots_of_different_length_fit_together() {
    let mut set = links(20, 9);
    let before = table(&set);
    for link in &mut set[..10] {
        link.packets_per_second *= 5.0;
        link.link_packets_per_second *= 5.0;
    }
    let after = table(&set);
    for (a, b) in before.fits.iter().zip(&after.fits) {
        match (a.error, b.error) {
            (Some(a), Some(b)) => assert!((a - b).abs() < 1e-9),
            (a, b) => assert_eq!(a, b),
        }
    }
    let rate = |t: &FitTable| t.fit("linear").unwrap().estimates.as_ref().unwrap()[0];
    assert!((rate(&after) - 5.0 * rate(&before)).abs() < 1e-9);
}

#[test]
fn hostile_numbers_are_refused() {
    let good = links(10, 10);
    let bad = |f: &dyn Fn(&mut LinkSample)| {
        let mut set = good.clone();
        f(&mut set[4]);
        fit_throughput(&set, &FitOptions::default()).unwrap_err().to_string()
    };
    assert!(bad(&|l| l.prr = 1.5).contains("link \"link-4\": prr is 1.5; expected 0 to 1"));
    assert!(bad(&|l| l.prr = f64::NAN).contains("NaN"));
    assert!(bad(&|l| l.mu = Some(2.0)).contains("-1 to 1"));
    assert!(bad(&|l| l.packets_per_second = f64::INFINITY).contains("0 or more"));
    assert!(bad(&|l| l.link_packets_per_second = 0.0).contains("more than 0"));
    let options =
        |metric: &str| FitOptions { metrics: vec![metric.into()], ..FitOptions::default() };
    for metric in ["", "a*b", "prr", "x^2"] {
        let error = fit_throughput(&good, &options(metric)).unwrap_err();
        assert!(matches!(error, FitError::Metric { .. }), "{error}");
    }
    let error = fit_throughput(&good, &options("gamma")).unwrap_err().to_string();
    assert!(error.contains("has no such metric"), "{error}");
    let formulas = FormulaOptions { rtt_slots: 0.0, ..FormulaOptions::default() };
    let error = fit_throughput(&good, &FitOptions { formulas, ..FitOptions::default() });
    assert!(error.unwrap_err().to_string().contains("rtt_slots is 0"));
    assert!(matches!(fit_throughput(&[], &FitOptions::default()), Err(FitError::NoLinks { .. })));
}

#[test]
fn perfect_and_dead_links_do_no_harm() {
    let mut set = links(20, 11);
    set.push(link(20, 1.0, 0.0, 100.0));
    set.push(link(21, 0.0, 0.0, 0.0));
    let table = table(&set);
    for fit in &table.fits {
        assert!(fit.error.unwrap().is_finite(), "{}", fit.name);
    }
    for formula in &table.formulas {
        assert!(formula.error.is_finite(), "{}", formula.name);
        assert!(formula.estimates.iter().all(|e| (0.0..=100.0).contains(e)), "{}", formula.name);
        // The perfect link has no loss, so only its rate limits the formulas.
        let wanted = if formula.name.starts_with("padhye") { 65.0 } else { 100.0 };
        assert!(formula.estimates[20] >= wanted, "{}: {}", formula.name, formula.estimates[20]);
    }
}

#[test]
fn work_that_is_stopped_keeps_what_is_done() {
    let set = links(30, 12);
    let whole = table(&set);
    let mut seen = Vec::new();
    let told = fit_throughput_with_progress(&set, &FitOptions::default(), |done, total| {
        seen.push((done, total));
        true
    });
    assert_eq!(told.unwrap(), whole);
    assert!(seen.is_sorted() && seen.last() == Some(&(30 * 32, 30 * 32)), "{:?}", seen.last());
    // Stopped in the middle of the fourth form.
    let stop = 30 * (2 + 2 + 2) + 40;
    let part =
        fit_throughput_with_progress(&set, &FitOptions::default(), |done, _| done < stop).unwrap();
    assert!(part.interrupted && !whole.interrupted);
    assert_eq!(part.fits[..3], whole.fits[..3]);
    assert_eq!(part.fits[3].error, whole.fits[3].error);
    let note = part.fits[3].leave_one_out_note.as_deref();
    assert_eq!(note, Some("stopped before every link was left out"));
    assert!(part.fits[4..].iter().all(|fit| fit.problem == Some(FitProblem::Stopped)));
    assert_eq!(part.formulas, whole.formulas);
    assert!(part.shortfall().is_none());
}
