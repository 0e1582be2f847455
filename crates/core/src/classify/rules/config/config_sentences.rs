//! Rules for sentences that report a missing, unknown or invalid setting, manifest or credential. The sentences name no
//! tool, so these rules run only after the rules for specific tools and for failed expectations.

use crate::{
    classify::rule::{AcceptedLines, Matcher::Regex, Rule, any, rule},
    failure::category::Category::ConfigError,
};

pub(in crate::classify::rules) const RULES: &[Rule] = &[
    rule(
        "config-value-required",
        ConfigError,
        &[
            "is required", "are required", "must be set", "must be provided", "must be specified", "must be defined",
            "must be supplied", "must have a value", "needs to be", "not be empty", "not be null", "is missing",
            "not provided", "not specified", "not supplied", "not set", "not configured", "requires a", "object must contain",
        ],
        Regex(any!(
            r"\b([a-z]+[a-z0-9]*([A-Z_.-]\w*)*)?(secret|api ?key|(?-i:[a-z]Key)|url|uri|dsn|host|port|endpoint|connection ?string|credentials?|bucket|dialect|region|base ?path|tenant|project ?id|client ?id|account ?id|database|datasource|broker|topic|profile|environment|licen[cs]e( key)?|certificate|keystore|signing key|encryption key|data dir(ectory)?)['\x22\x60\])]*( \S+){0,2} (is|are|was|were)? ?(required|missing|not (provided|specified|supplied|set|configured)|must (be (set|provided|specified|defined|supplied)|have a value|not be (empty|null|blank))|needs to be (explicitly )?(set|supplied|provided|specified))",
            r"\b\w+ requires an? \w+ (option|setting)\b|\bservice account object must contain\b",
            // A dotted key: `mail.from is not set`.
            r"(^|[\s'\x22\x60])[a-z]\w*(\.[a-z]\w*)+['\x22\x60]? (is|are|was) (not (set|configured)|unset|missing from (the )?config\w*)\b",
            r"\b\w+ requires an? (\w+ )?(or an? )?(secret|api key|key|token|url|dsn|region|host|endpoint|connection string|credential)\b",
        )),
    )
    // Excludes fields of a record or request and arguments of a function, which are input and not settings.
    .unless(any!(
        r"validation failed|Path \x60|TypeError|\b(argument|field|column|header|body|request|attribute|form)s?\b|parameter \x22",
        r"error TS\d|null pointer",
    ))
    .accepted_lines(AcceptedLines::MessagesOnly),
    rule(
        "config-nothing-configured",
        ConfigError,
        &["configured", "configure the", "configuration", "config: ", "config is ", "config was ", "config rejected", "from config"],
        Regex(any!(
            r"\bno \w+( \w+){0,4} (has been |have been |is |are |was |were )?(configured|found in (the )?config(uration)?)\b",
            r"\bnot (currently |properly |correctly |yet |been )?configured\b",
            r"\bconfigure the \w+( \w+)?,|\bunit configuration has fatal error|\bin (the )?configuration\.?$.*\bnot found",
            r"\bconfig(uration)?: (missing|invalid|unknown|unsupported|unrecogni[sz]ed|duplicate|malformed)\b",
            r"\bconfig(uration)? (was |is )?rejected\b|\bconfig(uration)?( file)? is not (well[- ]formed|usable|complete|allowed|permitted)\b|\b(absent|missing) from (the )?config(uration)?\b",
            r"\bconfigured (for|as|in|under|with) .*\b(is|are) (unknown|unsupported|invalid|not (known|supported|installed|available))\b|\bconfiguration key \S+ (resolves to|is) (null|empty)\b",
            r"\b\d+ configuration (problem|error|issue)s?\b",
            r"\bsection .+ not found in (the )?config|\bconfig(uration)? (option|key|setting|value) .*\b(is|has) (now |no longer )?(invalid|unknown|removed|unsupported|required)",
        )),
    )
    .accepted_lines(AcceptedLines::MessagesOnly),
    rule(
        "config-in-file",
        ConfigError,
        &[
            ".yml", ".yaml", ".toml", ".ini", ".cfg", ".conf", ".properties", ".env", "rc.js", ".hcl", ".plist",
            "config.js", "config.ts", "config.mjs", "config.cjs", "renovate.json", "manifest.json", "settings.json", "config.json", ".xml",
        ],
        Regex(any!(
            r"\b(unknown|unrecogni[sz]ed|invalid|unsupported|undefined|undeclared|duplicate|unexpected|malformed|missing|illegal|deprecated|bad|wrong|incorrect|no such|empty|conflicting)\b.*(\S+\.(ya?ml|toml|ini|cfg|conf|properties|hcl|plist)|\S*config\.[cm]?[jt]s|(renovate|manifest|settings|config)\.json|\.\w+rc(\.\w+)?|\.env(\.\w+)?)\b",
            r"(\S+\.(ya?ml|toml|ini|cfg|conf|properties|hcl|plist)|\S*config\.[cm]?[jt]s|(renovate|manifest|settings|config)\.json|\.\w+rc(\.\w+)?|\.env(\.\w+)?)\b.*\b(unknown|unrecogni[sz]ed|invalid|unsupported|undefined|undeclared|duplicate|unexpected|malformed|missing|illegal|is required|must (be|have|contain|not)|not (valid|allowed|permitted|supported|recogni[sz]ed)|syntax error|parse error|could not be (parsed|loaded|read))\b",
            r"(\S+\.(ya?ml|toml|ini|cfg|conf|properties|hcl|plist)|\S*config\.[cm]?[jt]s|(renovate|manifest|settings|config)\.json|\.\w+rc(\.\w+)?|\.env(\.\w+)?)(:| line|\b).{0,40}\b(lacks|has no|has an? (line|key|section|value)|(don't|doesn't|do not|does not) know|is absent|no longer accepted|(points|refers) to .*\b(not|no|missing|unknown))\b",
            r"\b(is|are) (required|missing|unknown|mandatory) in (\S+\.(ya?ml|toml|ini|cfg|conf|properties|hcl|plist)|\S*config\.[cm]?[jt]s)\b",
            r"\b(not|no|never|cannot|isn't|unable|which are not)\b.{0,40}\b(declared|named|listed|configured|defined|entry|enabled|section) (in|by|for) (\S+\.(ya?ml|toml|ini|cfg|conf|properties|hcl|plist)|\S*config\.[cm]?[jt]s|(renovate|manifest|settings|config)\.json)\b",
            r"\b(declared|named|listed|configured|defined|enabled) (in|by) (\S+\.(ya?ml|toml|ini|cfg|conf|properties|hcl|plist)|\S*config\.[cm]?[jt]s|(renovate|manifest|settings|config)\.json)\b.{0,40}\b(not|no|isn't|missing|unknown)\b",
            r"\b(failed|unable|could not|couldn't|cannot|can't|error)( to)?( \w+)? (load|read|pars|validat|decod|open|process|includ)(e|ed|ing)?\b.*\b(\S+\.(ya?ml|toml|ini|cfg|conf|properties|hcl|plist)|[\w-]*(config|phpunit|logback|log4j2|web|settings|pom|persistence|beans|context)\.xml|\S*config\.[cm]?[jt]s)\b",
        )),
    )
    // Excludes compiler and linter errors in files with such names, lock files, and test data.
    .unless(any!(
        r"error TS(2|1[0-79]|7)\d+|\berror\[E|error CS\d|cannot find module|can't resolve|permission denied|no space|undefined (reference|method|is not)",
        r"fixtures?/|testdata|/tests?/|snapshots?|is not a function|Cannot read propert|unexpected (exception|keyword argument)|\bat \S+:\d+:\d+",
        r"timed? ?out|refused|null pointer|: undefined: |\bsrc/|header is|no such file|FileNotFound",
    ))
    .accepted_lines(AcceptedLines::MessagesOnly),
    rule(
        "config-unknown-name",
        ConfigError,
        &[
            "unknown ", "unrecognized ", "unrecognised ", "no such ", "undefined ", "not a valid ", "invalid ", "missing ",
            "could not find ", "not found", "failed to load ", "depends on ", "required flag", "required option", "mandatory ",
            "no longer accepted", "no longer supported", "no longer valid", "no longer allowed", "driver class", " in setting ",
        ],
        Regex(any!(
            r"\b(unknown|unrecogni[sz]ed|no such|undefined|invalid|not a valid|missing|unsupported|missing required)( or \w+)? (config\w*|settings?|options?|preset|profile|plugin|reporter|formatter|environment|stage|directive|keyword|log ?level|adapter|dialect|provider|driver|command[- ]line (option|argument|flag)|flags?|switch|top-level \w+|secret|credentials?|compiler option|rule|cop|executor|runner image|working directory|section|stanza|required section)\b.{0,3}([:=]|['\x22\x60(<\[$]|[\w.-]*[_.-][\w.-]*|in\b|for\b|specified\b|value\b|[A-Z_]{4,})",
            r"\bfailed to load (custom |the )?(reporter|preset|plugin|transform|environment|runner|extension|provider)\b|\b(depends on|needs|requires) (an )?(unknown|undefined|undeclared) ",
            r"\brequired (flag|option|setting|parameter)\(?s?\)? .*\bnot (set|given|provided)|\bmandatory (\w+ )?(property|properties|setting|settings|option|options|parameters?)\b",
            r"\b(reporter|preset|formatter|project|profile|environment|transform|runner|provider|plugin)(\(s\))? ['\x22\x60]?[\w@/.-]+['\x22\x60]? (was |is |could |cannot |can not )?not (be )?(found|defined|configured|declared|exist|resolved|recogni[sz]ed)\b",
            r"\bcould not find ['\x22\x60][\w@/.-]+['\x22\x60] in (plugin|preset|config)",
            r"\b(key|option|setting|property|parameter|directive) ['\x22\x60].*['\x22\x60] (is|was) no longer (accepted|supported|allowed|valid)\b|\binvalid .* in setting ['\x22\x60]",
            r"\bdriver class\b.*\b(cannot|could not|can't) be (loaded|found)\b|\b(cannot|unable to|failed to|could not) (load|find) driver class\b",
        )),
    )
    // Excludes values in a program, for example a driver that crashes, a method of a plugin, or a URL scheme in test
    // data.
    .unless(any!(
        r"no such (file|table|column|element|module|host|method|property|key|index|image|container|device|process)",
        r"undefined (method|variable|function|reference|symbol|index|offset|array key|local|property|is not|table|column)|error TS\d|error\[E|error CS\d",
        r"UnrecognizedOptionException|status code|\b(40\d|50\d)\b|json at position|invalid (argument|value type|type|json|token|syntax|literal|signature|memory|date|state|operation|cast|byte|utf|unicode|character)",
    ))
    .accepted_lines(AcceptedLines::MessagesOnly),
    // Manifests that every tool of an ecosystem needs.
    rule(
        "config-manifest-missing",
        ConfigError,
        &[
            "package.json", "composer.json", "mix.exs", "cmakelists.txt", "google-services.json", "makefile found",
            "build.gradle", "pom.xml", "main module", "configuration file", "config file", "env file", "mix.project",
            "services.json", "turbo.json", "function.json", "project file", "pubspec.yaml", "changelog.xml", "package.swift",
            "deno.json", "info.plist",
        ],
        Regex(any!(
            r"\b(could not|couldn't|cannot|can't|unable to|does not|doesn't|no|not|missing|failed to)\b.*\b((package|composer|google-services|turbo|deno|function)\.json|mix\.exs|Mix\.Project|CMakeLists\.txt|makefile|build\.gradle|pom\.xml|main module|config(uration)? file|env file|project file|pubspec\.yaml|package\.swift|info\.plist)",
            r"\b((package|composer|google-services|turbo|deno|function)\.json|mix\.exs|CMakeLists\.txt|build\.gradle|pom\.xml|config(uration)? file|env file|project file|changelog\.xml|pubspec\.yaml|info\.plist)\b.*\b(is missing|(was )?not found|does not exist|is invalid|invalid\b|could not be found|exists? not)",
        )),
    )
    // Excludes errors of disks, permissions and compilers, because the file then exists.
    .unless(r"timed? ?out|permission denied|no space|error TS\d")
    .accepted_lines(AcceptedLines::MessagesOnly),
    rule(
        "config-must",
        ConfigError,
        &["must be ", "must not be ", "should be ", "must supply", "must provide", "must specify", "must configure", "is malformed", "must contain", "must match"],
        Regex(any!(
            r"\b(property|setting|option|parameter|config(uration)?( \w+)?|key|variable) ['\x22\x60][\w.-]+['\x22\x60] (must|should) (not )?(be|contain|match|have)\b",
            r"(^|[\s'\x22\x60])(?-i:[A-Z][A-Z0-9]*(_[A-Z0-9]+)*)['\x22\x60] (must|should) (not )?(be|contain|match|have)\b",
            r"(^|[\s'\x22\x60])(?-i:[A-Z][A-Z0-9]*(_[A-Z0-9]+)+)['\x22\x60]? (is malformed|(must|should) (not )?(be|contain|match|have))\b",
            r"\[?\bconfig\w*\]?:? .*\b(must|should) (not )?(be|contain|match|have)\b",
            r"\byou must (supply|provide|specify|configure|define|set)( an?| the)? (['\x22\x60]?\w*(options?|config)\w*\.|.*\b(option|setting|url|key|region|credentials?|config\w*)\b)",
            r"\bmust (supply|provide|specify) (an? |the )?(\w+ )?(url|key|region|dsn|credentials?|secret|token)\b",
        )),
    )
    // Excludes a test's expectations on values.
    .unless(r"assert|expected|but (was|got|is)|\bargument\b|instance of|error TS\d|TypeError|\bfield\b|\bcolumn\b|timeout must|time-?out")
    .accepted_lines(AcceptedLines::MessagesOnly),
    rule(
        "config-credentials",
        ConfigError,
        &["credential", "unable to load", "unable to locate", "no secret key", "cipher or incorrect key", "initialization string"],
        Regex(any!(
            r"\b(missing|no|without|unable to (load|locate|find)|could not (load|find|locate)|failed to (load|find))( \w+){0,3} credentials?( \w+)? (from|found|set|sources?|available|provided|configured|for)\b",
            r"\b(missing|no)( \w+){0,2} credential(s| sources?)?\b|\bMissing(Credentials|Region)Error|unable to load (region|credentials) from",
            r"\bno secret key (was |has been |is )?(set|configured|provided)|unsupported cipher or incorrect key length",
            r"format of the initialization string does not conform",
        )),
    )
    // Excludes an answer with 401 or 403, because the server received credentials and rejected them.
    .unless(r"\b(401|403)\b|invalid credentials")
    .accepted_lines(AcceptedLines::MessagesOnly),
    rule(
        "config-named-thing",
        ConfigError,
        &["is not defined", "isn't defined", "doesn't exist", "does not exist", "not supported", "is not registered", "could not find ", "no profile", "does not contain a ", "missing :", "not in struct", "was not found in", "supported "],
        Regex(any!(
            r"\b(connection|conn_id|cache store|storage service|queue( connection)?|mailer|guard|disk|log channel|driver|profile|binding type|adapter|session driver|broadcaster|data ?source|task queue|logger|appender|locale|role|workspace|scheme|preset|stack|environment|stage) [\[\x22'\x60][^\]\x22'\x60]+[\]\x22'\x60] (is not|isn't|was not|doesn't|does not|not)( \w+)? (defined|exist|configured|supported|registered|found|known)\b",
            r"\b(could not find|no|unknown) (provisioning )?(profiles?|scheme|environment|preset|stage) (named|for|matching|called) ",
            r"\bdoes not contain a (scheme|target|profile|configuration|stage|section|task|script) named\b",
            r"\bmissing :\w+ (key )?in config|\bkey '\w+' is not in struct",
            r"\b(wrong|unknown|unsupported|invalid) (driver|adapter|dialect|provider)\b|\bsupported (drivers|adapters|dialects|providers|ciphers|stores) are\b",
        )),
    )
    // Excludes objects of a database or a language.
    .unless(r"relation \x22|table|column|module")
    .accepted_lines(AcceptedLines::MessagesOnly),
    // PostgreSQL, MySQL, SQL Server, Rails. Excludes tables and columns, which the program defines.
    rule(
        "config-database",
        ConfigError,
        &[
            "database \"", "database '", "nodatabaseerror", "could not find your database",
        ],
        Regex(any!(
            r"\bdatabase [\x22'][^\x22'\n]+[\x22'] does not exist|\bunknown database '|\bNoDatabaseError\b",
            r"could not find your database|cannot open database [\x22'][^\x22'\n]+[\x22'] requested by the login",
        )),
    )
    .accepted_lines(AcceptedLines::MessagesOnly),
    rule(
        "config-class",
        ConfigError,
        &[
            "configattribute", "configurationparsing", "configkey", "configvalidation", "configfile", "configread",
            "configload", "configpars", "configtype", "configurationload", "configvalue", "configmissing", "invalidconfig",
            "settingsexception", "settingserror", "optionerror", "configbind", "configimport",
        ],
        Regex(r"\b\w*(Config(uration)?(Attribute|Parsing|Key|Validation|File|Read|Load|Loading|Parse|Type|Value|Missing|Bind|Binding|Import)\w*|Settings|InvalidConfig\w*)(Error|Exception)\b"),
    )
    .accepted_lines(AcceptedLines::MessagesOnly),
    rule(
        "config-environment-name",
        ConfigError,
        &["set `", "set the", "via ", "please set", "export ", "is undefined", "env[", "environ", "variables"],
        Regex(any!(
            r"\b(please )?(set|export|define|provide|specify|pass it via|supply it via)( the| an?| your)?( environment)?( variable)? ['\x22\x60$]?(?-i:[A-Z][A-Z0-9]*(_[A-Z0-9]+)+)\b",
            r"\*\*\* (?-i:[A-Z][A-Z0-9_]+) is (undefined|not (set|defined))",
            r"\b(application )?environment :?\w+ .*(not set|could not|was not)|could not fetch (application )?environment",
        )),
    )
    .accepted_lines(AcceptedLines::MessagesOnly),
];
