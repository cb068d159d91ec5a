//! The solvers of one machine: installed releases, programs on the PATH, our own solver, and what was learned about them.
//!
//! This only says where things are. Names are resolved by a [`Finder`], releases installed and verified by a [`Store`].

use std::path::{Path, PathBuf};

use crate::cache::Cache;
use crate::family::Family;
use crate::lock_file::{LockError, LockFile};
use crate::solver::{Finder, Solver};
use crate::versions::{Client, InstallError, Installed, Store};

/// Where the solvers of a machine are.
#[derive(Debug)]
pub struct Installation {
    store: Store,
    probes: PathBuf,
    builds: PathBuf,
    path: Vec<PathBuf>,
    own: Option<PathBuf>,
}

impl Installation {
    /// The solvers below a cache folder, in the folders of the PATH, and in our own program. A lock, or why it cannot be
    /// read, restricts the releases.
    pub fn new(
        cache: &Path,
        path: Vec<PathBuf>,
        own: Option<PathBuf>,
        lock: Result<Option<LockFile>, LockError>,
    ) -> Self {
        let store = Store::new(cache.join("solvers")).with_lock(lock);
        let (probes, builds) = (cache.join("probes"), cache.join("builds"));
        Installation { store, probes, builds, path, own }
    }

    /// The same without a lock.
    pub fn unlocked(self) -> Self {
        Installation { store: self.store.with_lock(Ok(None)), ..self }
    }

    /// The installed releases.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// What resolves the names of solvers.
    pub fn finder(&self) -> Finder<'_> {
        Finder { store: &self.store, path: self.path.clone(), own: self.own.clone() }
    }

    /// What was learned about solvers before.
    pub fn cache(&self) -> Cache {
        Cache::new(self.probes.clone())
    }

    /// Where solvers that are built from their sources are kept.
    pub fn builds(&self) -> &Path {
        &self.builds
    }

    /// What fetches releases.
    pub fn client(&self) -> Result<Client, InstallError> {
        Client::find(&self.path)
    }

    /// Whether a solver is still what was installed, if it is an installed release.
    pub fn verify(&self, solver: &Solver) -> Result<(), InstallError> {
        self.store.release_of(&solver.invocation).map_or(Ok(()), |release| self.store.verify(&release))
    }

    /// The installed release of exactly this version: `4.5.1.0` is not `4.5.1.0.post2`, though it may stand for it.
    pub fn installed(&self, family: Family, version: &str) -> Option<Installed> {
        self.store.find(family, version).filter(|found| found.version == version)
    }

    /// The versions that a request stands for, by the list of the last day if there is one.
    pub fn resolve(
        &self,
        client: &Client,
        family: Family,
        request: &str,
    ) -> Result<Vec<String>, InstallError> {
        match self.store.listed(family, request) {
            Some(versions) => Ok(versions),
            None => self.store.resolve(client, family, request),
        }
    }
}
