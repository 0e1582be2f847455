//! Provides document frequencies of common words in error reports, because a small memory cannot estimate them from its
//! own documents. The store counts the documents of the memory.

use super::tokens;
use std::{collections::HashMap, sync::LazyLock};

/// Words in about a quarter of all reports.
const VERY_COMMON_WORDS: &str = "error errors exception exceptions failed fail failure failing fails test tests testing not no \
    java lang org com at null expected actual got but was value assert assertion run running line file code stack trace \
    message caused method call called function object class type string true false return returned invalid \
    cannot could not found unexpected undefined throw throws thrown throwing while using use used get set new default \
    info warn warning debug fatal log panic main thread src lib test app undefined i which what why how after before \
    need err exit equal equals code";
/// Words in about a twelfth of all reports.
const COMMON_WORDS: &str = "about above access across add added address again all allow allowed already always another \
    api application argument arguments array async await backend base because begin between block boolean bool both \
    browser bug build bytes cache callback cannot case cast change changed char character check child client close \
    closed cmd column command commit common compile compiler component config configuration connect connected \
    connecting connection console constructor container content context convert correct crash crashed create created \
    current custom data database date dependency deploy detail details different dir directory does docker done down \
    due during each element empty end endpoint entry env environment equal equals event every exec execute execution \
    exist existing exists exit expect export extension external fetch field first fix flag float following \
    format found framework global go handle handler has hash header help host http https id ignore impl \
    implementation import incorrect index init initialize input install installed instance instead int integer \
    interface internal invoke io issue item items iterator javascript job json keep key know last latest left length \
    level library like linux list listen load loaded loader loading local location lock long loop make map mapping \
    match memory methods missing mock mode model module modules more multiple must name named native need net network \
    never next node non none now npm number object occurred on one only open operation option options order other \
    out output own package page param parameter params parent parse parser parsing pass passed passing path pattern \
    permission plugin point pointer port possible present print problem process production program project \
    promise properties property provided public py python query queue raise raised random range reach reached read \
    reading receive received record reference ref refused register reject rejected release remote remove render \
    repository request require required reset resolve resolved resource response rest result results retry right \
    root route row runner runtime rust same save schema scope script search second seconds see seem seems send server \
    service session setting settings setup shell should show size socket some source spec specified start started \
    startup state static status step still stop storage store stream strings struct support system table tag target \
    task text than time timed timeout timestamp token tool total tried try trying two typeerror types ui \
    unable uncaught under unhandled unit unknown until up update updated upgrade upload url usage user users util \
    utils valid validate validation values variable version via view void wait waiting web well where window windows \
    without work worker working works wrong write writing yes zero assertionerror runtimeexception valueerror \
    nullpointerexception modulenotfounderror importerror outofmemoryerror operationalerror \
    clienterror ioexception oserror ioerror filenotfoundexception filenotfounderror connectionerror timeouterror \
    timeoutexception referenceerror syntaxerror nameerror indexerror nullreferenceexception invalidoperationexception \
    indexoutofboundsexception classcastexception nosuchmethoderror classnotfoundexception sqlexception npm yarn pip \
    complete attribute nonetype such positional syntax near denied forbidden \
    errno occurred cancel canceled cancelled \
    illegalargumentexception illegalstateexception keyerror attributeerror junit pytest jest \
    vitest mocha opentest4j assertionfailederror index.js traceback recent ms sec ok bad good bug behavior behaviour \
    example sample please thanks know when only works since just even way thing things people try want sure really";

/// Fraction of reports with the term. Terms that are not listed are rare.
static DOCUMENT_SHARES: LazyLock<HashMap<u32, f64>> = LazyLock::new(|| {
    let mut shares = HashMap::new();
    for (words, share) in [(COMMON_WORDS, 0.08), (VERY_COMMON_WORDS, 0.25)] {
        for word in words.split_whitespace() {
            tokens::for_each_term(word, |term, _| {
                shares.insert(tokens::hash_term(term), share);
            });
        }
    }
    shares
});

/// Number of background documents that are added to the documents of the memory. They dominate in a memory of five
/// documents and hardly matter in a memory of a million.
const PRIOR_DOCUMENTS: f64 = 1000.0;
/// Minimum fraction of reports that contain the name of an error type, because the name describes a kind of problem and
/// not a single problem.
const ERROR_TYPE_SHARE: f64 = 0.02;

/// Checks whether a stemmed term is the name of an error type.
pub(super) fn is_error_type(term: &str) -> bool {
    term.len() > 7 && (term.ends_with("error") || term.ends_with("except"))
}

/// Returns the fraction of all reports that contain a term.
pub(super) fn document_share(hash: u32, is_error_type: bool) -> f64 {
    DOCUMENT_SHARES.get(&hash).copied().unwrap_or_default().max(if is_error_type { ERROR_TYPE_SHARE } else { 0.0 })
}

/// Computes the inverse document frequency of Robertson and Sparck Jones, kept positive: `ln(1 + (N - n + 1/2) / (n +
/// 1/2))`, with the background documents included.
pub(super) fn idf(hash: u32, is_error_type: bool, documents: f64, documents_with_term: f64) -> f64 {
    let share = document_share(hash, is_error_type);
    let all = documents + PRIOR_DOCUMENTS;
    let documents_with_term = (documents_with_term + share * PRIOR_DOCUMENTS).min(all);
    (1.0 + (all - documents_with_term + 0.5) / (documents_with_term + 0.5)).ln()
}

/// Like [`idf`], but without a memory.
pub(super) fn background_idf(term: &str) -> f64 {
    idf(tokens::hash_term(term), is_error_type(term), 0.0, 0.0)
}
