<?php
// PHP loads this file before every PHP program of a run. It adds an option to PHPUnit and to programs that start
// PHPUnit, so that each process writes its own report. It prints nothing, defines nothing, and does nothing in other
// programs.
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
    // Removed, because processes that a test starts do not belong to this run.
    putenv('ARGUS_REPORT_DIR');
    unset($_SERVER['ARGUS_REPORT_DIR'], $_ENV['ARGUS_REPORT_DIR']);
    $added = array('--log-junit', $folder . DIRECTORY_SEPARATOR . 'phpunit-' . getmypid() . '.xml');
    array_splice($_SERVER['argv'], 1, 0, $added);
    $_SERVER['argc'] = count($_SERVER['argv']);
    $GLOBALS['argv'] = $_SERVER['argv'];
    $GLOBALS['argc'] = $_SERVER['argc'];
})();
// Loads the file that the machine's PHP settings prepend, because this file replaces it.
if (php_ini_loaded_file()) {
    $argus_settings = @parse_ini_file(php_ini_loaded_file());
    $argus_replaced_file = isset($argus_settings['auto_prepend_file']) ? $argus_settings['auto_prepend_file'] : '';
    unset($argus_settings);
    if ($argus_replaced_file !== '') {
        require $argus_replaced_file;
    }
    unset($argus_replaced_file);
}
