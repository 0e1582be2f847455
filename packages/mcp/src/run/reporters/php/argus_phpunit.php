<?php
// Loaded before every PHP program of a run: PHPUnit, and what starts it, gets one more option, so that each process writes
// a report of its own. It prints nothing, defines nothing, and does nothing in any other program.
(static function () {
    $folder = getenv('ARGUS_REPORT_DIR');
    $program = basename(isset($_SERVER['argv'][0]) ? $_SERVER['argv'][0] : '');
    if (!$folder || !preg_match('/^(?:phpunit|pest|paratest|simple-phpunit)(?:[-.\d]*\.phar)?$/', $program)) {
        return;
    }
    foreach ($_SERVER['argv'] as $argument) {
        if (strpos($argument, '--log-junit') === 0) {
            return;
        }
    }
    // What a test starts is no part of this run.
    putenv('ARGUS_REPORT_DIR');
    unset($_SERVER['ARGUS_REPORT_DIR'], $_ENV['ARGUS_REPORT_DIR']);
    $added = array('--log-junit', $folder . DIRECTORY_SEPARATOR . 'phpunit-' . getmypid() . '.xml');
    array_splice($_SERVER['argv'], 1, 0, $added);
    $_SERVER['argc'] = count($_SERVER['argv']);
    $GLOBALS['argv'] = $_SERVER['argv'];
    $GLOBALS['argc'] = $_SERVER['argc'];
})();
// What the machine's own settings load here.
if (php_ini_loaded_file()) {
    $argus_settings = @parse_ini_file(php_ini_loaded_file());
    $argus_own = isset($argus_settings['auto_prepend_file']) ? $argus_settings['auto_prepend_file'] : '';
    unset($argus_settings);
    if ($argus_own !== '') {
        require $argus_own;
    }
    unset($argus_own);
}
