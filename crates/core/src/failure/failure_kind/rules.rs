//! Lists the patterns of lines that determine the kind of a failure. The first matching pattern decides.

use super::FailureKind as K;
use regex::Regex;
use std::sync::LazyLock;

/// A pattern and its kind.
pub(super) struct KindRule {
    pub(super) kind: K,
    pub(super) pattern: &'static str,
}

const fn rule(kind: K, pattern: &'static str) -> KindRule {
    KindRule { kind, pattern }
}

/// Checks whether a line starts with the name of an error. The name of a Python exception may end with any word, but
/// Python prints it with its module: `jwt.exceptions.Expired: no`, `django.http.response.Http404`.
pub(super) fn starts_with_error_name(text: &str) -> bool {
    static ERROR_NAME: LazyLock<Regex> = LazyLock::new(|| {
        let pattern = r"(?m)^(?:Uncaught |Caused by: |Unhandled exception\. |Exception in thread .*?)?(?:[\w$]+(?:\.|::|\\))*[\w$]*(?:Error|Exception|Throwable|Fault)(?: \[\w+\])?(?::|\b *$|\s\()|^(?:[a-z_]\w*\.)+[A-Z]\w*(?:: |$)";
        Regex::new(pattern).expect("a constant pattern")
    });
    ERROR_NAME.is_match(text)
}

/// Order: failures that end a whole process or run, missing parts of the environment, compiler errors, errors of a
/// program. `(?m)` makes `^` and `$` match at line ends.
pub(super) const RULES: &[KindRule] = &[
    // Memory and the process itself. System limits come first because their messages mention full memory or a full
    // disk.
    rule(
        K::ResourceLimit,
        r"\bEMFILE\b|\bENFILE\b|(?i:too many open files)|(?i:resource temporarily unavailable)|\bfork: retry|can't start new thread|unable to create (?:new )?native thread|System limit for number of file watchers|(?i:too many connections)|remaining connection slots are reserved|sorry, too many clients already",
    ),
    // Go prints this for a signal of the process.
    rule(K::NullDereference, r"nil pointer dereference"),
    rule(
        K::OutOfMemoryHeap,
        r"JavaScript heap out of memory|Reached heap limit|java\.lang\.OutOfMemoryError|(?m)^OutOfMemoryError\b|\bGC overhead limit exceeded|\bMemoryError\b|Allowed memory size of \d+ bytes exhausted|fatal error: runtime: out of memory|memory allocation of \S+ bytes failed|failed to allocate memory|std::bad_alloc|System\.OutOfMemoryException|Array buffer allocation failed|\bENOMEM\b",
    ),
    rule(
        K::StackOverflow,
        r"Maximum call stack size exceeded|\bStackOverflow(?:Error|Exception)?\b|maximum recursion depth exceeded|SystemStackError|stack level too deep|goroutine stack exceeds|fatal error: stack overflow|has overflowed its stack|\bInternalError: too much recursion|Stack overflow\.",
    ),
    rule(
        K::SegmentationFault,
        r"(?i:segmentation fault)|\bSIGSEGV\b|AddressSanitizer|Access violation|\bSIGBUS\b|EXC_BAD_ACCESS|invalid memory access \(core",
    ),
    rule(
        K::Killed,
        r"(?m)^\s*(?:\S+: line \d+: +\d+ |zsh: )?(?:Killed|killed|Terminated|terminated)(?:: \d+)?(?: {2,}.*)?$|(?m)^\s*SIG(?:KILL|TERM) +\[|\b(?:terminated|killed|died|ended|exited|signal|Signals)\b[^\n]{0,40}\bSIG(?:KILL|TERM)\b|\bsignal: (?:killed|terminated)\b",
    ),
    rule(
        K::DiskFull,
        r"\bENOSPC\b|(?i:no space left on device)|(?i:disk quota exceeded)|\bEDQUOT\b|There is not enough space on the disk|database or disk is full",
    ),
    rule(
        K::AddressInUse,
        r"\bEADDRINUSE\b|(?i:address (?:is )?already in use)|(?i:port \S+ (?:is|was) (?:already )?(?:in use|allocated|used))|port is already allocated|Only one usage of each socket address|java\.net\.BindException|BindError|(?i:something is already running on port)",
    ),
    // Coverage and snapshots, which runners report after everything else.
    rule(
        K::CoverageThreshold,
        r"(?i:coverage)[^\n]*(?i:does not meet|threshold|below|less than|fail[- ]?under|minimum)|Required test coverage of|FAIL Required test coverage|Coverage check failed|Coverage checks have not been met|Rule violated for (?:bundle|package|class)|(?m)^(?:Line|Branch) coverage \([\d.]+%\) is below",
    ),
    rule(
        K::Snapshot,
        r"toMatch(?:Inline)?Snapshot|toMatchFileSnapshot|(?i:snapshot)[^\n]*(?i:mismatch|obsolete|does not match|doesn't match|not written|differ|failed|assertion)|[Ss]napshots? .*mismatched|toHaveScreenshot|A snapshot doesn't exist|snapshot assertion for|SnapshotMismatch|Snapshot name: ",
    ),
    // Databases come before permissions and files because messages of databases also mention permissions and files.
    rule(
        K::DatabaseConstraint,
        r"(?i:unique constraint|uniqueness constraint|foreign key constraint|violates (?:not-null|check|unique|foreign key|exclusion) constraint|constraint failed)|(?i:duplicate entry) '|\bE11000 duplicate key|SQLITE_CONSTRAINT|\bIntegrityError\b|ER_DUP_ENTRY|UniqueViolation|ConstraintViolationException|SequelizeUniqueConstraintError|RecordNotUnique|Cannot (?:add or update|delete or update) a (?:child|parent) row|\bP200[23]\b|ORA-00001",
    ),
    rule(
        K::DatabaseLock,
        r"\bSQLITE_BUSY\b|database is locked|database table is locked|(?i:deadlock (?:detected|found))|Lock wait timeout exceeded|could not obtain lock on|could not serialize access|LockNotAvailable|was deadlocked on lock resources",
    ),
    rule(
        K::DatabaseSchema,
        r#"relation "[^"\n]+" does not exist|column "?[^"\n]+"? (?:of relation \S+ )?does not exist|no such (?:table|column): |Unknown column '|Table '[^'\n]+' doesn't exist|(?i:unapplied migration)|Migrations are pending|PendingMigrationError|UndefinedTable|UndefinedColumn|\bP202[12]\b|ER_NO_SUCH_TABLE|Invalid object name '|ORA-00942|relation "[^"\n]+" already exists"#,
    ),
    rule(
        K::DatabaseQuery,
        r#"syntax error at or near "|You have an error in your SQL syntax|SQLITE_ERROR: near|near "[^"\n]*": syntax error|ORA-009\d\d|Incorrect syntax near|operator does not exist: |PG::SyntaxError|ambiguous column name"#,
    ),
    // Network errors.
    rule(
        K::Dns,
        r"\bENOTFOUND\b|\bEAI_AGAIN\b|getaddrinfo|(?i:name or service not known)|(?i:temporary failure in name resolution)|(?i:could not resolve host)|java\.net\.UnknownHostException|no such host\b|nodename nor servname|NameResolutionError|DNS_PROBE|ERR_NAME_NOT_RESOLVED",
    ),
    rule(
        K::Tls,
        r"(?i:certificate (?:verify failed|has expired|is not (?:valid|trusted)|signed by unknown))|(?i:self[- ]signed certificate)|DEPTH_ZERO_SELF_SIGNED|UNABLE_TO_VERIFY|CERT_HAS_EXPIRED|SSLHandshakeException|PKIX path building failed|(?i:ssl routines)|\bSSLError\b|tls: |x509: |ERR_CERT_|ERR_TLS_|ERR_SSL",
    ),
    rule(
        K::Authentication,
        r"(?i:authentication failed)|password authentication failed|(?i:invalid credentials)|Access denied for user|(?i:permission denied \(publickey)|(?i:could not read username)|\bE401\b|\b401 Unauthorized\b|(?i:unauthorized: authentication required)|InvalidAccessKeyId|ExpiredToken\b|JsonWebTokenError|TokenExpiredError|(?i:jwt expired)|AuthenticationException|Login failed for user",
    ),
    rule(
        K::NetworkError,
        r"\bfetch failed\b|Failed to fetch|NetworkError when attempting|net::ERR_(?:INTERNET|CONNECTION|NETWORK)",
    ),
    // Programs, packages, scripts, versions.
    rule(
        K::MissingScript,
        r#"(?i:missing script:)|ERR_PNPM_NO_SCRIPT|Command "[^"\n]+" not found\.|Couldn't find a script named|No rule to make target|Task '[^'\n]+' not found|Unknown lifecycle phase|Justfile does not contain recipe|Script not found "|Don't know how to build task|Could not find task|Unknown task"#,
    ),
    rule(
        K::VersionMismatch,
        r"EBADENGINE|(?i:unsupported engine)|The engine \W?\w+\W? is incompatible|UnsupportedClassVersionError|class file version|NODE_MODULE_VERSION|requires (?:rustc|Python|Node\.js|go) |requires a different Python|rustc \S+ is not supported|invalid target release|(?i:source option \d+ is no longer supported)|ERESOLVE|unable to resolve dependency tree|(?i:conflicting dependencies)|ResolutionImpossible|version solving failed|go\.mod requires go|toolchain not available|peer dep(?:endency)? (?:missing|conflict)|VersionConflict|depends on itself|Could not find a version that satisfies the requirement \S+[<>=~!]",
    ),
    rule(
        K::CommandNotFound,
        r"(?i:command not found)|is not recognized as an internal or external command|is not recognized as (?:the|a) name of a cmdlet|(?m): not found$|\bspawn(?:Sync)? \S+ ENOENT|exec: \S+: executable file not found|executable file not found in|could not execute process|No such command|(?i:unable to find executable)|browserType\.launch: Executable doesn't exist|Executable doesn't exist at|Unable to locate (?:a )?(?:the )?(?:Java Runtime|executable)|env: \S+: No such file or directory|could not determine executable to run|(?i:cannot run program) |error: no such (?:sub)?command",
    ),
    rule(
        K::MissingDependency,
        r"Cannot find (?:module|package) '(?:@[\w.-]+/)?[A-Za-z][\w.-]*(?:/[^'\n]*)?'|Failed to resolve import \W?(?:@[\w.-]+/)?[A-Za-z][\w.-]*\W|Can't resolve '(?:@[\w.-]+/)?[A-Za-z][\w-]*'|ModuleNotFoundError: No module named|No module named |cannot load such file -- (?:[a-z][\w-]*)(?:/\w+)?(?: \(LoadError\))?(?:\n|$)|Could not find gem|Could not find \S+ in (?:any of the sources|locally installed gems)|Bundler::GemNotFound|no required module provides package|missing go\.sum entry|cannot find package \W|can't find crate for|no matching package (?:named|found)|Could not (?:resolve|find) (?:dependencies|artifact|all files for configuration)|package \S+ does not exist|Class \W?\S+\W? not found|NoClassDefFoundError|error NU1101|(?i:npm (?:err!|error) (?:code )?e404)|ERR_PNPM_FETCH_404|No matching distribution found|Could not find a version that satisfies|PackageNotFoundError|DistributionNotFound|(?i:is not in this registry)|node_modules (?:state file )?(?:is )?missing|Could not find a declaration file for module",
    ),
    rule(
        K::MissingExport,
        r"does not provide an export named|is not exported (?:by|from)|has no exported member|has no default export|No matching export in|(?m)^export '[^'\n]+' .*was not found in|cannot import name",
    ),
    rule(
        K::ModuleNotFound,
        r"(?i:cannot find module)|(?i:module not found)|MODULE_NOT_FOUND|ERR_PACKAGE_PATH_NOT_EXPORTED|(?m)^ImportError\b|Failed to resolve import|Could not resolve \W|Can't resolve '|Unable to resolve (?:path|module)|unresolved import|file not found for module|cannot load such file|LoadError|Failed to load url|Directory import '|Unknown file extension|ERR_UNSUPPORTED_DIR_IMPORT|(?i:circular import)|import cycle not allowed|Relative import path",
    ),
    rule(
        K::MissingVariable,
        r"(?i:(?:environment|env) (?:variable|var)s? [^\n]*(?:not (?:set|defined|found|present)|is required|missing|must be))|(?i:missing (?:required )?(?:environment|env) var)|environment variable not found|(?m)^KeyError: '[A-Z][A-Z0-9]*_[A-Z0-9_]+'|(?m)^[A-Z][A-Z0-9]*_[A-Z0-9_]+ (?:is not set|is required|must be set|is missing|not set)|: unbound variable|: parameter (?:null or )?not set|key not found: \W[A-Z][A-Z0-9_]+\W|NotPresent|Environment variable not found",
    ),
    // Tests that cannot start.
    rule(
        K::NoTests,
        r"(?i:no tests? (?:found|ran|were found|to run|files? found|executed|matching)|no test suite found|no test files|no tests found|did not find any tests|collected 0 items|no tests were executed|no matching tests|no tests matching)|Your test suite must contain at least one test|0 examples, 0 failures|NO_TESTS_RAN",
    ),
    rule(
        K::TestSetup,
        r#"fixture '[^'\n]+' not found|recursive dependency involving fixture|"(?:before|after) (?:each|all)" hook|(?:before|after)(?:Each|All) hook|setup method|(?i:error in (?:setup|teardown|beforeall|afterall))|Test suite failed to run|ParameterResolutionException|Failed to load ApplicationContext|globalSetup|setUpClass|(?:Before|After)(?:Each|All) methods?\b"#,
    ),
    // Maps and collections of the JVM. Their exception has the same name as an exception of Selenium.
    rule(K::MissingKey, r"NoSuchElementException: (?:Key .* is missing in the map|key not found)"),
    rule(K::OutOfRange, r"java\.util\.NoSuchElementException"),
    // An element that was found but did not have the expected value in time.
    rule(K::Assertion, r#"(?m)^\W*unexpected value ""#),
    rule(
        K::ElementNotFound,
        r"(?i:unable to (?:find|locate) (?:an? |role=)?\W?(?:element|accessible element|role))|NoSuchElementException|NoSuchElementError|no such element: |Unable to find (?:an accessible )?element|ElementNotInteractable|ElementClickIntercepted|StaleElementReference|strict mode violation: |waiting for (?:locator|selector|getBy\w+)\W|Expected to find element: |element\(s\) not found|TestingLibraryElementError|Capybara::ElementNotFound|Found multiple elements",
    ),
    // Errors in a text that the program parses. JavaScript uses the same error name for errors in the source.
    rule(K::Parse, r"Unexpected end of JSON|is not valid JSON|in JSON at position"),
    // Tools that check the source.
    rule(
        K::Format,
        r"Code style issues (?:found|were found)|(?m)^Diff in \S+|would reformat|File content differs from formatting output|(?i:run prettier)|prettier/prettier|Formatter would have printed|files? (?:is|are) not formatted|not (?:gofmt|gofumpt|goimports)-ed|spotlessCheck|violations? should be fixed using|The following files (?:had format violations|need formatting)|Imports are incorrectly sorted|files? would be reformatted",
    ),
    rule(
        K::SyntaxError,
        r"\b(?:SyntaxError|IndentationError|TabError|ParseError|ParserError)\b|(?i:unexpected token)|(?i:syntax error)|Unexpected (?:end of (?:input|file)|identifier|reserved word|indent)|expected one of `|(?m)^error: (?:expected|unexpected closing delimiter|this file contains an unclosed|mismatched closing)|(?i:parsing error)|Unterminated (?:string|template|regular)|';' expected|error TS1\d{3}\b|reached end of file while parsing|unexpected (?:newline|EOF|end-of-input)|error CS1\d{3}\b|Transform failed with \d+ error",
    ),
    rule(
        K::Lint,
        r"(?m)^\s*(?:\d+:\d+\s+)?(?:error|warning|✖)\s+.*\s+(?:@?[\w-]+/)*[a-z]+(?:-[a-z]+)+$|✖ \d+ problems?|\blint/\w+/\w+|(?m)^\S+\.py:\d+:\d+: [A-Z]{1,4}\d{2,4} |(?m)^[A-Z]{1,4}\d{3,4} (?:\[\*\] )?\W?\S|\bclippy::\w+|\(RuboCop\)|(?m)^\S+\.rb:\d+:\d+: [CWEF]: |golangci-lint|\bSC\d{4}\b|\bDL\d{4}\b|error: unused (?:variable|import)|stylelint|(?:Checkstyle|PMD|SpotBugs|detekt|ktlint) (?:violation|failed|found)|Checkstyle rule violations|pylint|(?m): [CRWEF]\d{4}: |has no-\w+|Lint (?:errors|failed)|found \d+ lint",
    ),
    rule(
        K::TypeError,
        r"error(?: |\[)TS2\d{3}\b|error TS7\d{3}\b|error TS18\d{3}\b|Argument of type '|is not assignable to (?:type|parameter)|mismatched types|error\[E0308\]|incompatible types: |(?m)^\S+\.py:\d+: error: .*\[[a-z-]+\]|cannot use .* \(?(?:variable|value|constant|untyped).*as .* (?:value|type)|error CS0029|cannot be converted to|error CS1503|type mismatch",
    ),
    rule(
        K::CompileError,
        r#"(?m)^error\[E\d{4}\]|error: could not compile|(?m)^(?:\S+\.go:\d+:\d+: )?(?:undefined: \S+$|\S+ undefined \(type |declared and not used: |"[^"\n]+" imported and not used|missing return$|(?:not enough|too many) arguments in call to )|(?m)^error: aborting due to|COMPILATION ERROR|Compilation (?:failed|error)|cannot find symbol|(?m): error: (?:use of undeclared|unknown type|no member named|cannot find|incompatible|package)|undefined reference to|ld returned \d+ exit status|linker command failed|linking with `\S+` failed|(?m)^\S+\.go:\d+:\d+: (?:undefined|declared and not used|cannot|missing|not enough|too many|\S+ redeclared|imported and not used)|\[build failed\]|\[setup failed\]|error CS\d{4}|error (?:MSB|LNK|C)\d{4}|(?m)^e: |error TS\d{4}|fatal error: \S+\.h(?:pp)?: No such file|Build failed with \d+ error|error: cannot find (?:macro|function|type|value|trait)|has no member named|Unresolved reference|(?m): error: |\*\* \(CompileError\)|value \S+ is not a member of|expected `\S+`, found"#,
    ),
    // Errors of a program.
    rule(K::InvalidArgument, r"ERR_INVALID_ARG|ERR_OUT_OF_RANGE"),
    rule(
        K::NullDereference,
        r"Cannot (?:read|set) propert(?:y|ies) (?:'[^'\n]*' )?of (?:undefined|null)|(?:undefined|null) is not an object|Cannot destructure property|(?:undefined|null) is not iterable|\bNullPointerException\b|Object reference not set to an instance|\bNullReferenceException\b|'NoneType' object (?:has no attribute|is not|does not)|invalid memory address or nil pointer|assignment to entry in nil map|(?:undefined (?:local )?method|undefined method) .*for nil|Call to a member function .* on null|Attempt to read property .* on null|Trying to access array offset on (?:value of type )?null|called `Option::unwrap\(\)` on a `None` value|Null check operator used on a null value|unexpectedly found nil|Cannot convert undefined or null|Cannot read private member .* from an object",
    ),
    rule(
        K::UndefinedName,
        r"\bis not a function\b|\bis not a constructor\b|(?m)ReferenceError\b|\bNameError\b|is not defined\b|\bAttributeError\b|has no attribute '|\bNoMethodError\b|undefined (?:local variable|method|function)|Call to undefined (?:method|function)|NoSuchMethodError|NoSuchFieldError|MissingMethodException|undefined constant|uninitialized constant|UndefinedFunctionError|Undefined (?:variable|constant|property)|Cannot access '[^'\n]*' before initialization",
    ),
    rule(
        K::MissingKey,
        r#"\bKeyError\b|KeyNotFoundException|was not present in the dictionary|Undefined (?:array key "|index: )|key not found|no entry found for key|what\(\): +(?:unordered_)?map::at|given key is not an element in the map"#,
    ),
    rule(
        K::OutOfRange,
        r"index out of (?:range|bounds)|\bIndexError\b|IndexOutOfBounds|index out of range|Index was outside the bounds|out of bounds for length|ArgumentOutOfRangeException|slice bounds out of range|NoSuchElementException|Undefined (?:array key|offset)|byte index \d+ is (?:not a char boundary|out of bounds)|range end index|InputMismatch|StopIteration",
    ),
    rule(
        K::Arithmetic,
        r"(?i:division by zero)|divide by zero|\bZeroDivisionError\b|DivisionByZeroError|attempt to (?:add|subtract|multiply|divide|negate|shift) .*with overflow|OverflowError|ArithmeticException|Invalid BigInt|Cannot mix BigInt|FloatingPointError|integer overflow|NumberFormatException: Value out of range",
    ),
    rule(
        K::Concurrency,
        r"WARNING: DATA RACE|all goroutines are asleep|ConcurrentModificationException|PoisonError|concurrent map (?:read|writes?|iteration)|fatal error: concurrent|dictionary changed size during iteration|sync: negative WaitGroup|send on closed channel|already (?:borrowed|mutably borrowed)|BorrowMutError|OptimisticLock|StaleObjectStateException|race condition",
    ),
    rule(
        K::VersionControl,
        r"(?m)^<<<<<<< |(?:Merge|merge) conflict|CONFLICT \(|not a git repository|detected dubious ownership|needs merge|(?m)^fatal: (?:refusing|ambiguous|bad|your|unable to|couldn't find remote|not possible)|index\.lock|pathspec '|Unmerged paths",
    ),
    rule(
        K::Permission,
        r"\bEACCES\b|\bEPERM\b|(?i:permission denied)|(?i:operation not permitted)|\bPermissionError\b|AccessDeniedException|UnauthorizedAccessException|(?i:access is denied)|\bEROFS\b|(?i:read-only file system)|insufficient privilege|must be owner of|(?i:access denied)|NotAllowedError",
    ),
    rule(
        K::MissingFile,
        r"\bENOENT\b|(?i:no such file or directory)|\bFileNotFound(?:Error|Exception)\b|NoSuchFileException|Errno::ENOENT|DirectoryNotFoundException|(?i:the system cannot find the (?:file|path))|(?i:could not (?:find|open|read) (?:the )?file)|ENOTDIR|EISDIR|failed to (?:open|read) file|os error 2\b",
    ),
    rule(
        K::Parse,
        r"(?i:unexpected end of json)|in JSON at position|is not valid JSON|\bJSONDecodeError\b|JsonParseException|JSON::ParserError|invalid character .* looking for beginning|cannot unmarshal|json: |\bUnicode(?:Decode|Encode)Error\b|invalid (?:utf-8|byte sequence|UTF-8)|stream did not contain valid UTF-8|ParseIntError|ParseFloatError|NumberFormatException|DateTimeParseException|invalid literal for int|could not convert string|expected value at line \d+ column|SAXParseException|XMLSyntaxError|not well-formed|Invalid (?:Date|time value|URL|ISO)|strconv\.\w+: parsing|FormatException|MalformedURLException|UnmarshalTypeError|xml: |yaml: |YAMLException|ScannerError|InvalidFormatException|missing field `",
    ),
    rule(
        K::TypeError,
        r"\b(?:TypeError|ClassCastException|InvalidCastException)\b|interface conversion: |unsupported operand type|(?i:no implicit conversion of)|cannot be cast to|is not iterable|is not callable",
    ),
    rule(
        K::Panic,
        r"(?m)^panic: |\bpanicked at\b|called `Result::unwrap\(\)`|entered unreachable code|not (?:yet )?implemented: |\bSIGABRT\b|terminate called|(?m)^(?:fatal error: |Aborted)|core dumped|explicit panic|assertion failed: \(|not implemented(?: yet)?$",
    ),
    rule(
        K::InvalidArgument,
        r"\b(?:ValueError|RangeError|ArgumentError|ArgumentException|ArgumentNullException|IllegalArgumentException|InvalidArgumentException|IllegalStateException|InvalidOperationException)\b|ERR_INVALID_ARG|\bEINVAL\b|invalid value for|missing \d+ required positional argument|unexpected keyword argument|takes \d+ positional argument|wrong number of arguments|ArgumentCountError|ZodError|ValidationError|invalid_type",
    ),
];
