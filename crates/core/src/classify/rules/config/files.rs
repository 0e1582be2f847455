//! Rules for manifests and settings of build tools, package managers, compilers, linters and test runners. The
//! configuration of deployments and servers is in `infra`.

use crate::{
    classify::rule::{AcceptedLines, Matcher::Regex, Rule, any, rule},
    failure::category::Category::ConfigError,
};

pub(in crate::classify::rules) const RULES: &[Rule] = &[
    // Cargo
    rule(
        "config-cargo-manifest",
        ConfigError,
        &[
            "failed to parse manifest", "could not find `cargo.toml`", "cargo.toml`",
            "no targets specified in the manifest", "invalid character in ", "failed to load manifest",
            "failed to parse lock file", "unused manifest key", "manifest path", "virtual manifest", "current package believes",
            "no matching package", "cargo.toml", "failed to read `",
        ],
        Regex(any!(
            r"^\s*--> \S*Cargo\.toml:\d+:\d+|could not parse workspace",
            r"failed to (parse|load|read) (manifest|lock ?file)|failed to read `\S*Cargo\.toml`",
            r"could not (find|parse) `?Cargo\.toml|no targets specified in the manifest|virtual manifest",
            r"\bmanifest path .+ (does not|must)|current package believes it's in a workspace",
            r"multiple workspace roots|Cargo\.toml.*(is missing|is invalid|error)",
            r"^error: .*(manifest|Cargo\.toml)\b.*(must|cannot|not|missing|invalid|requires|virtual)",
        )),
    ),
    rule(
        "config-cargo-settings",
        ConfigError,
        &[
            "config.toml", ".cargo/config", "could not load config", "could not parse toml configuration",
            "replace-with", "failed to parse config", "source configuration",
        ],
        Regex(any!(
            r"error in .*\.?config(\.toml)?: |failed to parse config at|could not (load|parse) (config|toml)",
            r"error in .*\.cargo/config|replace-with. sources|config(uration)? in .+\.cargo/config",
            r"\(configuration in|\x22?config\.toml\x22?.*(invalid|error|expected|missing|parse)",
        )),
    ),
    rule(
        "config-cargo-feature",
        ConfigError,
        &[
            "does not have feature", "does not have the feature", "does not contain this feature",
            "does not have these features", "does not have that feature", "feature `", "is required to be",
            "profile `", "package id specification", "is not a member of the workspace", "patch for `",
            "the lock file",
        ],
        Regex(any!(
            r"does not have (that|these) features?",
            r"^error: .*(does not (have|contain) (the |this |these )?features?|feature `.+` (is |was |includes|requires|does)|profile `.+` (is not|was not|isn't)|is not a member of the workspace|the lock file .+ needs to be updated)",
            r"the feature `.+` is (required|not)|feature `.+` is required",
            r"package ID specification .+ did not match|the `.+` (field|key) ",
        )),
    ),
    rule(
        "config-cargo-registry",
        ConfigError,
        &[
            "no token found", "token contains invalid", "registry index", "no index found for registry",
            "alias", "registry `", "token rejected", "credential provider",
        ],
        Regex(any!(
            r"no token found, please run|token contains invalid|no index found for registry|user-defined alias",
            r"registry (index|`\S+`).*(not found|not configured|invalid|does not)|^error: alias `?\S+`? (has|is)\b",
            r"credential provider .+(failed|not|could)",
        )),
    ),
    // JavaScript
    rule(
        "config-tsconfig",
        ConfigError,
        &["error ts5", "error ts6", "error ts18", "tsconfig"],
        Regex(any!(
            r"error TS(5\d{3}|6\d{3}|1800[0-3])\b",
            r"could not resolve tsconfig|(cannot|can't|failed to|could not|error) .*\btsconfig(\.\w+)?\.json",
            r"tsconfig\S*\.json.*(not found|invalid|missing|does not exist|error)",
        )),
    ),
    rule(
        "config-eslint",
        ConfigError,
        &["eslint", "configbasedir", "stylelint", "config object is using", "parseroptions", "flat config", "definition for rule"],
        Regex(any!(
            r"`configBasedir`|stylelint.*\b(no config|undefined rule|unknown rule)|eslint couldn't (find|determine)|eslint configuration|config object is using the",
            r#"\bkey "[\w.-]+": |parserOptions\.|flat config system|eslintrc|eslint: .*config"#,
            r"failed to load (config|plugin|parser) .*|definition for rule '.+' not found",
        )),
    ),
    rule(
        "config-jest-vitest",
        ConfigError,
        &[
            "validation error:", "validation warning:", "preset ", "jest: failed to parse",
            "multiple configurations found", "unrecognized cli parameter", "unknown option",
            "failed to load config", "could not find a config file", "test environment",
            " option was not found", "configuration documentation", "project config", "no projects matched",
            "unrecognized option",
        ],
        Regex(any!(
            r"^\s*●? ?validation (error|warning):|preset .+ (not found|is invalid)|jest: failed to parse",
            r"multiple configurations found|unrecognized cli parameter|failed to load config",
            r"could not find a config file|test environment .+ cannot be found|in the \w+ option was not found",
            r"configuration documentation|no projects matched|(unknown|unrecognized) options? [\x22'`-]",
        )),
    )
    .accepted_lines(AcceptedLines::All),
    rule(
        "config-webpack",
        ConfigError,
        &[
            "invalid configuration object", "does not match the api schema", "invalid options object",
            "configuration has an unknown property", "configuration.", "couldn't find preset",
            "cannot find preset", "unknown option: ", "[babel]", "postcss", "tailwind config",
            "plugin/preset files are not allowed", ".plugins[", ".presets[",
        ],
        Regex(any!(
            r"invalid (configuration|options) object|does not match the API schema",
            r"configuration(\.\w+)* (has|should|misses)|(couldn't|cannot) find (preset|plugin)",
            r"unknown option: [\x60.'\x22]?\w+|\[BABEL\].*(unknown|invalid|plugin|preset)",
            r"Loading PostCSS|postcss config|(^|[\s:])\.(plugins|presets)(\[\d+\])+ must be|tailwind config|files are not allowed to export objects",
        )),
    ),
    rule(
        "config-package-json",
        ConfigError,
        &[
            "package.json", "ejsonparse", "missing script", "eusage", "composer.json", "lerna.json", "nx.json",
            "turbo.json", "angular.json", "deno.json", "pnpm-workspace", "ebadengine", "lockfile", "lock file",
        ],
        Regex(any!(
            r"\b(EJSONPARSE|EUSAGE)\b|missing script:",
            r#"(invalid|malformed|missing|failed to parse|could not (parse|read|find|load)|unable to (read|parse)|no|error (parsing|reading)|cannot (find|read|parse)|errors? in) (json in )?["'\x60]?(\S*/)?(package|composer|lerna|nx|turbo|angular|deno|project)\.jsonc?\b"#,
            r#"(package|composer|lerna|nx|turbo|angular|deno)\.jsonc?["'\x60]?.*\b(is invalid|not found|missing|must be|must have|does not (contain|match|have|exist)|invalid|unknown)\b"#,
            r#"["'\x60]?exports?["'\x60]? field .*package\.json|frozen[- ]lockfile"#,
            r"(lock ?file|package-lock\.json).*(out of date|out of sync|not up.to.date|needs to be updated|are not in sync|in sync)",
        )),
    ),
    rule(
        "config-npmrc",
        ConfigError,
        &[
            ".npmrc", "npm err! invalid", "packagemanager", "unsupported engine",
            "engine \"node\" is incompatible",
        ],
        Regex(any!(
            r"\.npmrc.*(invalid|missing|failed|substitute)|failed to replace env in config",
            r"packageManager.*(yarn|pnpm|npm|invalid)|unsupported engine|engine .node. is incompatible",
        )),
    ),
    rule(
        "config-vite",
        ConfigError,
        &[
            "vite.config", "vitest.config", "next.config", "nuxt.config", "rollup.config", "svelte.config",
            "playwright.config", "cypress.config", "webpack.config", "babel.config", "jest.config",
            "eslint.config", "astro.config", "karma.conf", "cypress.json", "babelrc", "prettierrc", "swcrc",
            "mocharc", "error: config.", "config file path",
        ],
        Regex(any!(
            r"\bconfig(\.\w+(\[\d+\])?)+: |resolving a config file path",
            r"(fail(ed|ure)?|error|invalid|could not|cannot|unable|missing|unknown|unrecognized).*\b(\w+\.config\.\w+|karma\.conf|\.?(babel|prettier|swc|mocha)rc)",
            r"\b(\w+\.config\.\w+|karma\.conf\S*|\.?(babel|prettier|swc|mocha)rc\S*).*\b(invalid|not found|missing|is not valid|must (be|export)|unknown|unrecognized|does not|failed to)\b",
        )),
    )
    // Type errors in a configuration file are code errors.
    .unless(r"error TS\d"),
    // Python
    rule(
        "config-pytest",
        ConfigError,
        &[
            "pytest: error", "unrecognized arguments", "unknown config option", "not found in `markers`",
            "inifile:", "conftest.py:", "error: unrecognized", "invalid choice",
        ],
        Regex(any!(
            r"error: (unrecognized arguments|argument \S+: |the following arguments are required)",
            r"unknown config option|not found in `markers` configuration|^\s*inifile:|pytest: error|usageerror",
        )),
    ),
    rule(
        "config-pyproject",
        ConfigError,
        &[
            "invalid requirement", "pyproject.toml", "setup.cfg", "tox.ini", "pytest.ini", "requirements.txt", "setup.py", "mypy.ini",
            "poetry.lock", "pipfile",
        ],
        Regex(any!(
            r"(invalid|error|could not|couldn't|failed|missing|no|cannot|unable|malformed|not find).*\b(pyproject\.toml|setup\.cfg|tox\.ini|pytest\.ini|mypy\.ini|poetry\.lock|Pipfile)",
            r"\b(pyproject\.toml|setup\.cfg|tox\.ini|pytest\.ini|mypy\.ini|poetry\.lock|Pipfile)\b.*\b(invalid|missing|error|not found|must|unknown|unexpected|significantly|changed)\b",
            r"invalid requirement: |neither 'setup\.py' nor 'pyproject\.toml'|configuration error.*project",
        )),
    ),
    rule(
        "config-django",
        ConfigError,
        &[
            "improperlyconfigured", "django_settings_module", "settings are not configured",
            "settings.databases", "systemcheckerror", "secret_key setting", "installed_apps",
        ],
        Regex(any!(
            r"ImproperlyConfigured|DJANGO_SETTINGS_MODULE|settings are not configured|settings\.DATABASES is",
            r"SystemCheckError|SECRET_KEY setting|isn't in .{0,20}INSTALLED_APPS",
        )),
    ),
    rule(
        "config-flask-alembic",
        ConfigError,
        &[
            "no 'script_location' key", "sqlalchemy_database_uri", "could not locate a flask application",
            "no config file", "error: no \"sessions\"",
        ],
        Regex(any!(
            r"no 'script_location' key|SQLALCHEMY_DATABASE_URI .*must be set",
            r"could not locate a flask application|no config file .*found",
        )),
    ),
    // Java
    rule(
        "config-maven",
        ConfigError,
        &[
            "non-resolvable", "non-parseable pom", "malformed pom", "the build could not read", "unknown lifecycle phase",
            "no plugin found for prefix", "invalid pom", "'dependencies.dependency", "the project ",
            "mojoexecutionexception: invalid", "no pom in this directory", "missingprojectexception",
            "there is no pom", "goal requires a project", "parameters 'mainclass'", "the parameters ",
            "'build.plugins",
        ],
        Regex(any!(
            r"non-resolvable (parent|import) pom|malformed pom|the build could not read",
            r"unknown lifecycle phase|no plugin found for prefix|invalid pom",
            r"'\w+(\.\w+)+' .* (is missing|must be|is either)|MissingProjectException|there is no pom",
            r"goal requires a project|the parameters? '.+' for goal .* (is|are) missing or invalid",
            r"non-parseable pom|child module .+ does not exist",
        )),
    ),
    rule(
        "config-gradle",
        ConfigError,
        &[
            "problem occurred evaluating", "could not find method", "could not get unknown property",
            "plugin [id:", "problem occurred configuring", "a problem was found with the configuration",
            "settings.gradle", "build.gradle", "does not contain a gradle build",
            "unsupported class file major version", "sdk location not found", "toolchain",
            "no matching variant", "could not compile settings file", "could not compile build file",
        ],
        Regex(any!(
            r"could not find method \w+\(\).* on (root )?(project|object)|could not get unknown property",
            r"plugin \[id: .+was not found|a problem was found with the configuration",
            r"does not contain a gradle build",
            r"(settings|build)\.gradle(\.kts)?.*(not found|missing|does not exist|error|could not)",
            r"could not compile (settings|build) file|a problem occurred (evaluating|configuring)|SDK location not found|no matching toolchains?",
        )),
    ),
    rule(
        "config-log4j",
        ConfigError,
        &["log4j", "logback", "joranexception", "statuslogger"],
        Regex(any!(
            r"(log4j|logback)\S* .*(configuration error|could not (initialize|parse|find)|invalid|failed to (parse|load)|ERROR in ch\.qos)",
            r"error in ch\.qos\.logback|\bJoranException\b",
            r"\bStatusLogger .*\b(unable to (locate|invoke|create|load)|could not|cannot|contains an invalid|unknown|not found|no configuration)",
        )),
    )
    // Excludes a warning that log4j 1 prints at every start if it is not configured.
    .unless(r"log4j:WARN"),
    // Go, .NET, Ruby, PHP
    rule(
        "config-go-mod",
        ConfigError,
        &["go.mod", "go.sum", "go.work", "golangci"],
        Regex(any!(
            r"errors parsing (\S*/)?go\.(mod|work)|go\.mod (file )?(not found|is missing|has non-\S+)",
            r"updates to go\.mod needed|invalid go version|go\.mod:\d+: |unknown directive",
            r"missing go\.sum entry|inconsistent vendoring|can't load config|golangci.*config",
        )),
    ),
    rule(
        "config-viper",
        ConfigError,
        &[
            "config file", "failed to load configuration", "envconfig", "missing required flag",
            "unmarshal config",
        ],
        Regex(any!(
            r"config file .*(not found|could not|invalid|does not exist|is missing|error)",
            r"(unable|failed|could not|cannot|error)( to)? (find|read|open|load|pars\w+|locate)( the| a)? .*config file",
            r#"no config file|envconfig|unmarshal(l?ing)? config|config file ".*" not found"#,
        )),
    ),
    rule(
        "config-dotnet",
        ConfigError,
        &[
            "appsettings", "configuration section", "section '", "web.config", "app.config", "nuget.config",
            "msb40", "msb1003", "netsdk1", "global.json", "launchsettings", "project file",
            "configurationmanager", "dataannotation validation failed", "failed to convert configuration value",
        ],
        Regex(any!(
            r"(appsettings|web\.config|app\.config|nuget\.config|global\.json)\S*.*\b(not found|invalid|missing|error|could not|failed)",
            r"\b(not found|invalid|missing|error|could not|failed|cannot)\b.*(appsettings|web\.config|app\.config|nuget\.config|global\.json)",
            r"section '.+' (not found|is missing|was not)|\bMSB(40\d\d|1003|1009)\b|NETSDK1\d{3}",
            r"DataAnnotation validation failed|configuration section .*(missing|not found|not)",
            r"unrecognized configuration section|failed to convert configuration value at",
        )),
    ),
    rule(
        "config-ruby",
        ConfigError,
        &[
            "gemfile", "rubocop", "database.yml", "gemspec", "secrets.yml",
            "cannot load database configuration", "could not load database configuration",
            "activerecord::adapternot",
        ],
        Regex(any!(
            r"(could not locate|error parsing|invalid|there was an error parsing).*\bGemfile",
            r"rubocop\S*.*(unrecognized|invalid|error)",
            r"(could not|cannot) load .*(database|secrets)(\.yml| configuration)|invalid gemspec",
            r"AdapterNot(Specified|Found)|\bdatabase\.yml\b.*(missing|not|invalid)",
        )),
    ),
    rule(
        "config-php",
        ConfigError,
        &[
            "invalidconfigurationexception", "unrecognized option", "envnotfoundexception", "phpunit.xml",
            "child config", "unable to parse at line", "phpstan", "php.ini", "non-existent parameter",
            "requires the parameter", "no extension able to load", "a configured driver",
        ],
        Regex(any!(
            r"InvalidConfigurationException|unrecognized options? .+ under|EnvNotFoundException",
            r"phpunit\.xml\S*.*(not|invalid|error|could)|could not read .*phpunit|the child (config|node)",
            r"unable to parse at line|invalid configuration|php\.ini.*(missing|error)|non-existent parameter",
            r"no extension able to load the configuration|does not have a configured driver",
        )),
    ),
    // CI
    rule(
        "config-ci",
        ConfigError,
        &[
            "invalid workflow file", "workflow is not valid", "unrecognized named-value",
            "unexpected input(s)", "config contains unknown keys", "jobs:", "yaml invalid",
            "input required and not supplied", "unknown stage", "error in your yaml", "circleci",
            "azure-pipelines", "error calling workflow", "definition for command named", "jenkinsfile", "workflowscript", "chosen stage does not exist",
            "unexpected value", "required property is missing", "this gitlab ci",
        ],
        Regex(any!(
            r"error calling workflow: |cannot find a definition for command named|invalid workflow file|workflow is not valid|unrecognized named-value|unexpected input\(s\)",
            r"config contains unknown keys|jobs?:\S+( \w+)? .*(config|should|must|chosen|can't|needs)",
            r"yaml invalid|input required and not supplied|error in your yaml|chosen stage does not exist",
            r"unexpected value '|required property is missing",
            r"(azure-pipelines|\.gitlab-ci|config)\.ya?ml.*(error|invalid|unexpected|unknown|not)",
            r"WorkflowScript: \d+: .*(invalid|unknown|expected|missing required)|circleci.*config",
        )),
    ),
    rule(
        "config-git-hooks",
        ConfigError,
        &[
            "pre-commit-config", "invalidconfigerror", "bad config line", "commitlint", "lint-staged",
            "renovate",
        ],
        Regex(any!(
            r"pre-commit-config\S*.*(is not|invalid|missing|error)|bad config (line|file|value)",
            r"(commitlint|lint-staged|renovate)\S*.*(no|invalid|missing|could not).{0,30}config",
            r"please add rules to your",
        )),
    ),
    rule(
        "config-json-parse",
        ConfigError,
        &[".json"],
        Regex(any!(
            r"(SyntaxError|parse error|failed to parse|unexpected token|JSONDecodeError|error (while )?parsing|invalid json).*[\w-]*(config|tsconfig|package|settings|manifest|rc)\S*\.json",
            r"[\w-]*(config|tsconfig|settings|manifest)\.json.*(unexpected token|syntax ?error|failed to parse|parse error|is not valid json|invalid json|malformed)",
        )),
    ),
    rule(
        "config-schema-file",
        ConfigError,
        &[
            "prisma schema", "schema.prisma", "error: environment variable not found", "p1012", "p1013",
            "serverless.yml", "serverless.yaml", "openapi", "swagger", "protobuf", "graphql schema",
        ],
        Regex(any!(
            r"prisma schema validation|P101[23]\b|schema\.prisma.*(error|invalid|not)",
            r"(invalid|error).*(serverless\.ya?ml|openapi|swagger)",
            r"(serverless\.ya?ml|openapi|swagger).*(invalid|is not valid|error)|configuration error at",
        )),
    ),
];
