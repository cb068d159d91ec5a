//! A campaign that is opened before its solvers are looked for, and begun or resumed when all else is in order.

use std::path::Path;

use smelt_store::configuration::{Budget, Configuration, SeedRecord};
use smelt_store::error::StoreError;
use smelt_store::store::Campaign as Recorded;
use smelt_store::totals::Totals;

use crate::campaign::Campaign;
use crate::hunt::Plan;
use crate::prepare::disagreements;

/// What a campaign is begun with.
#[derive(Debug)]
pub struct CampaignStart<'a> {
    /// How it is recorded.
    pub configuration: &'a Configuration,
    /// Its seeds.
    pub seeds: &'a [SeedRecord],
    /// When it ends.
    pub budget: &'a Budget,
}

/// Why a campaign cannot be begun or resumed.
#[derive(Debug, thiserror::Error)]
pub enum OpeningError {
    /// There is none.
    #[error("there is no campaign in `{0}`; start one without --resume")]
    Missing(String),
    /// There is a folder, and nothing was recorded.
    #[error("the campaign in `{0}` has not begun; start it without --resume")]
    NotBegun(String),
    /// It is another campaign.
    #[error("the campaign in `{dir}` is another one:\n  {}\n{advice}", differing.join("\n  "))]
    Another {
        /// Its folder.
        dir: String,
        /// How it differs.
        differing: Vec<String>,
        /// What to do.
        advice: &'static str,
    },
    /// The record cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A campaign, if there is one, and its record, if it has begun.
pub struct OpenedCampaign {
    campaign: Option<Campaign>,
    /// Its record.
    pub recorded: Option<Recorded>,
    is_resumed: bool,
}

impl OpenedCampaign {
    /// Opens the campaign in a folder, so that a second hunt fails at once; nothing is made if there is none.
    pub fn open(dir: &Path, is_resumed: bool) -> Result<OpenedCampaign, OpeningError> {
        let shown = dir.display().to_string();
        if !Campaign::exists(dir) {
            return match is_resumed {
                true => Err(OpeningError::Missing(shown)),
                false => Ok(OpenedCampaign { campaign: None, recorded: None, is_resumed }),
            };
        }
        let campaign = Campaign::open(dir)?;
        let recorded = campaign.recorded()?;
        match recorded {
            None if is_resumed => Err(OpeningError::NotBegun(shown)),
            recorded => Ok(OpenedCampaign { campaign: Some(campaign), recorded, is_resumed }),
        }
    }

    /// The record, if the user wants to resume it.
    pub fn resumed(&self) -> Option<&Recorded> {
        self.recorded.as_ref().filter(|_| self.is_resumed)
    }

    /// What was done before.
    pub fn totals(&self) -> Totals {
        self.recorded.as_ref().map(|recorded| recorded.totals.clone()).unwrap_or_default()
    }

    /// Begins the campaign, or resumes it if it is the same.
    pub fn begin(self, dir: &Path, start: &CampaignStart<'_>) -> Result<Campaign, OpeningError> {
        let mut campaign = match self.campaign {
            Some(campaign) => campaign,
            None => Campaign::open(dir)?,
        };
        let Some(recorded) = &self.recorded else {
            campaign.begin(start.configuration, start.seeds, start.budget)?;
            return Ok(campaign);
        };
        let differing = disagreements(recorded, start.configuration, start.seeds);
        if !differing.is_empty() {
            let advice = match self.is_resumed {
                true => "leave those options out, or start another campaign with --dir",
                false => "resume it as it is with --resume, or start another campaign with --dir",
            };
            return Err(OpeningError::Another { dir: dir.display().to_string(), differing, advice });
        }
        campaign.set_budget(start.budget)?;
        Ok(campaign)
    }
}

/// What is about to be done, in lines.
pub fn announcement(dir: &Path, plan: &Plan, recorded: Option<&Recorded>) -> String {
    let mut text = String::new();
    for target in plan.targets.iter().filter(|target| !target.meanings.older.is_empty()) {
        let ops: Vec<&str> = target.meanings.older.iter().map(|op| op.info().name).collect();
        text += &format!("{} follows an older definition of {}\n", target.solver.name, ops.join(" "));
    }
    let dir = dir.display();
    let Some(Recorded { totals, .. }) = recorded else {
        let names: Vec<&str> = plan.targets.iter().map(|target| target.solver.name.as_str()).collect();
        let techniques: Vec<&str> = plan.techniques.iter().map(|(technique, _)| technique.name()).collect();
        text += &format!(
            "{} seeds, techniques {}, solvers {}, findings to {dir}\n",
            plan.seeds.len(),
            techniques.join(" "),
            names.join(" "),
        );
        return text;
    };
    text += &format!(
        "resuming the campaign in {dir}: {} cases and {} findings in {:.0} s so far\n",
        totals.cases,
        totals.all_findings(),
        totals.elapsed.as_secs_f64()
    );
    let is_late = plan.budget.time_secs.is_some_and(|most| totals.elapsed.as_secs_f64() >= most);
    let used = (totals.solver_cpu + totals.own_cpu).as_secs_f64();
    let is_exhausted = plan.budget.cpu_secs.is_some_and(|most| used >= most);
    let is_enough = plan.budget.findings.is_some_and(|most| totals.all_findings() >= most);
    let is_complete = plan.budget.cases.is_some_and(|most| totals.cases >= most);
    if is_late || is_exhausted || is_enough || is_complete {
        text += "budget used up; extend it with --time, --cpu-time, --cases or --findings\n";
    }
    text
}
