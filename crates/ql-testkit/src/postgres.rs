//! Throw-away PostgreSQL databases: of the server that `QL_TEST_POSTGRES_URL` names, or of one that
//! is started with the machine's own programs and stopped when no test needs it any more.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use ql_store::{PostgresOptions, Store};
use tokio_postgres::config::Host;
use tokio_postgres::{Config, NoTls};

mod cluster;

const OWNER: &str = "ql_test_owner";
const WORKER: &str = "ql_test_worker";
const PASSWORD: &str = "ql-test";

const EMPTY: &str = "DO $$ DECLARE name TEXT; BEGIN
    SET LOCAL session_replication_role = replica;
    FOR name IN SELECT tablename FROM pg_tables
        WHERE schemaname = current_schema() AND tablename <> 'schema_migrations'
    LOOP EXECUTE format('DELETE FROM %I', name); END LOOP;
    END $$";

/// A fresh database with the product's schema; it is dropped with this value.
///
/// The tables belong to one role, and the product works as another that is neither superuser nor
/// able to pass row security by, with the grants that the product itself gives.
#[derive(Debug)]
pub struct TestDatabase {
    server: &'static Server,
    name: String,
}

/// A server with the roles and the template that databases are made from.
#[derive(Debug)]
struct Server {
    admin: Config,
    template: String,
}

impl TestDatabase {
    /// A fresh database; none on a machine without PostgreSQL, which in CI is a failure.
    pub fn new() -> Option<Self> {
        static SERVER: OnceLock<Option<Server>> = OnceLock::new();
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let server = SERVER.get_or_init(Server::find).as_ref()?;
        let count = COUNT.fetch_add(1, Ordering::SeqCst);
        let name = format!("ql_test_{}_{count}", std::process::id());
        server.run(
            "postgres",
            &[&format!(
                "CREATE DATABASE {name} TEMPLATE {} OWNER {OWNER}",
                server.template
            )],
        );
        Some(Self { server, name })
    }

    /// The address for the role that the product works as.
    pub fn url(&self) -> String {
        self.server.url(WORKER, &self.name)
    }

    /// The address for the role that owns the tables.
    pub fn owner_url(&self) -> String {
        self.server.url(OWNER, &self.name)
    }

    /// A store over the database with a few connections; leases are judged by the caller's clock.
    pub fn store(&self) -> Store {
        self.store_that(true)
    }

    /// As [`TestDatabase::store`]; its closures guess or look.
    pub(crate) fn store_that(&self, guesses: bool) -> Store {
        let options = PostgresOptions {
            connections: 3,
            guesses,
            server_clock: false,
            ..PostgresOptions::new(self.url())
        };
        Store::connect(options).expect("a database that was just made")
    }

    /// Removes every row, past the triggers that keep what is written once; much quicker than another
    /// database.
    pub fn empty(&self) {
        self.administer(&[EMPTY]);
    }

    /// Runs statements as the server's administrator in this database.
    pub fn administer(&self, statements: &[&str]) {
        self.server.run(&self.name, statements);
    }

    /// The one number that a statement answers to the server's administrator.
    pub fn number(&self, sql: &str) -> i64 {
        let (config, sql) = (self.server.config(&self.name), sql.to_owned());
        apart(move || async move {
            let client = connect(&config).await;
            let row = client.query_one(&sql, &[]).await.expect("one row");
            row.get(0)
        })
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        let name = &self.name;
        self.server
            .run("postgres", &[&format!("DROP DATABASE {name} WITH (FORCE)")]);
    }
}

/// A whole server for one test alone, with an empty database: for tests that stop it.
#[derive(Debug)]
pub struct PrivateServer {
    cluster: cluster::Cluster,
    server: Server,
}

const DATABASE: &str = "querylayer";

impl PrivateServer {
    /// A running server; none on a machine without PostgreSQL, which in CI is a failure.
    pub fn start() -> Option<Self> {
        let Some(cluster) = cluster::Cluster::private() else {
            is_missing();
            return None;
        };
        let server = Server {
            admin: cluster.config(),
            template: String::new(),
        };
        server.make_roles();
        let create = format!("CREATE DATABASE {DATABASE} OWNER {OWNER}");
        server.run("postgres", &[&create]);
        Some(Self { cluster, server })
    }

    /// The address for the role that the product works as.
    pub fn url(&self) -> String {
        self.server.url(WORKER, DATABASE)
    }

    /// The address for the role that owns the tables.
    pub fn owner_url(&self) -> String {
        self.server.url(OWNER, DATABASE)
    }

    /// Ends it as a crash does, and starts it again.
    pub fn crash(&self) {
        self.cluster.crash();
    }

    /// Runs statements as the administrator in the database.
    pub fn administer(&self, statements: &[&str]) {
        self.server.run(DATABASE, statements);
    }
}

impl Drop for PrivateServer {
    fn drop(&mut self) {
        self.cluster.destroy();
    }
}

/// Ends every other connection to the database that it is run in.
pub const END_CONNECTIONS: &str = "DO $$ BEGIN PERFORM pg_terminate_backend(pid) FROM pg_stat_activity \
    WHERE datname = current_database() AND pid <> pg_backend_pid(); END $$";

/// Says that there is no PostgreSQL; where everything must be tried, that is a failure.
#[expect(
    clippy::print_stderr,
    reason = "whoever runs the tests must see what was left out"
)]
fn is_missing() {
    assert!(
        std::env::var_os("CI").is_none(),
        "PostgreSQL is missing: install it, or name a server with QL_TEST_POSTGRES_URL"
    );
    eprintln!(
        "PostgreSQL is missing, so its tests are left out: install it, or name a server with QL_TEST_POSTGRES_URL"
    );
}

impl Server {
    fn find() -> Option<Self> {
        let Some((admin, _lock)) = cluster::admin() else {
            is_missing();
            return None;
        };
        let digest = ql_store::check::schema_digest().to_string();
        let server = Self {
            admin,
            template: format!("ql_template_{}", &digest[..16]),
        };
        server.make_roles();
        server.make_template();
        Some(server)
    }

    fn make_roles(&self) {
        for role in [OWNER, WORKER] {
            self.run("postgres", &[&format!(
                "DO $$ BEGIN CREATE ROLE {role} LOGIN NOSUPERUSER NOBYPASSRLS PASSWORD '{PASSWORD}'; \
                 EXCEPTION WHEN duplicate_object THEN NULL; END $$"
            )]);
        }
    }

    /// Makes the database that others are copied from, under another name until it is complete.
    fn make_template(&self) {
        let (config, name) = (self.config("postgres"), self.template.clone());
        let exists: bool = apart(move || async move {
            let sql = "SELECT EXISTS (SELECT 1 FROM pg_database WHERE datname = $1)";
            let client = connect(&config).await;
            client.query_one(sql, &[&name]).await.expect("a row").get(0)
        });
        if exists {
            return;
        }
        let unfinished = format!("{}_new", self.template);
        self.run(
            "postgres",
            &[
                &format!("DROP DATABASE IF EXISTS {unfinished}"),
                &format!("CREATE DATABASE {unfinished} OWNER {OWNER}"),
            ],
        );
        let options = PostgresOptions {
            owner_url: Some(self.url(OWNER, &unfinished)),
            connections: 1,
            ..PostgresOptions::new(self.url(WORKER, &unfinished))
        };
        let store = Store::connect(options).expect("the owner makes the schema");
        store.close();
        self.run(
            "postgres",
            &[&format!(
                "ALTER DATABASE {unfinished} RENAME TO {}",
                self.template
            )],
        );
    }

    fn config(&self, database: &str) -> Config {
        let mut config = self.admin.clone();
        config.dbname(database);
        config
    }

    fn run(&self, database: &str, statements: &[&str]) {
        let config = self.config(database);
        let statements: Vec<String> = statements.iter().map(|sql| (*sql).to_owned()).collect();
        apart(move || async move {
            let client = connect(&config).await;
            for sql in statements {
                let done = client.batch_execute(&sql).await;
                done.unwrap_or_else(|error| panic!("{error:?} from {sql}"));
            }
        });
    }

    fn url(&self, role: &str, database: &str) -> String {
        let host = match self.admin.get_hosts().first() {
            Some(Host::Tcp(host)) => host.clone(),
            Some(Host::Unix(path)) => path.display().to_string().replace('/', "%2F"),
            None => "localhost".to_owned(),
        };
        let port = self.admin.get_ports().first().copied().unwrap_or(5432);
        format!("postgres://{role}:{PASSWORD}@{host}:{port}/{database}?sslmode=disable")
    }
}

async fn connect(config: &Config) -> tokio_postgres::Client {
    let (client, connection) = config.connect(NoTls).await.expect("the test server");
    tokio::spawn(connection);
    client
}

/// Runs asynchronous work to its end from wherever the test is.
fn apart<T: Send, F: Future<Output = T>>(work: impl FnOnce() -> F + Send) -> T {
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .expect("a runtime");
            runtime.block_on(work())
        });
        thread.join().expect("the test server answers")
    })
}
