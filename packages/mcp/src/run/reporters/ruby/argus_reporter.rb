# RUBYOPT loads this file into every Ruby process of a run. If the program runs RSpec, Minitest or test-unit, even
# through rake or scripts, the file records the events of their reporters. It prints nothing, loads no library before
# the tests end, and removes its folder from the load path.
$LOAD_PATH.delete(__dir__)

module ArgusReporter
  FOLDER = ENV['ARGUS_REPORT_DIR']
  ROOT = File.expand_path(ENV['ARGUS_REPORT_ROOT'] || Dir.pwd)

  class << self
    # Removes the report folder from the environment, because processes that start later do not belong to the run.
    # Creates an empty report, which remains if a test ends the process.
    def start(runner)
      @started_at ||= Time.now
      File.write(report_path(runner), '') if ENV.delete('ARGUS_REPORT_DIR')
    rescue SystemCallError
      nil
    end

    def report_path(runner)
      File.join(FOLDER, "#{runner}-#{Process.pid}.json")
    end

    def tests
      @tests ||= []
    end

    # The block returns the version of the runner.
    def write(runner, &version)
      return unless @started_at && Dir.exist?(FOLDER)
      require 'json'
      milliseconds = ->(time) { (time.to_f * 1000).round }
      summary = { start: milliseconds.(@started_at), stop: milliseconds.(Time.now) }
      report = { reportFormat: 'CTRF', specVersion: '0.0.0', results: { tool: { name: runner, version: read_version(&version) }, summary: summary, tests: tests } }
      File.write(report_path(runner), JSON.generate(report))
    rescue StandardError, LoadError
      nil
    end

    # Returns nil if the version is unknown, so that the report is still written.
    def read_version
      yield
    rescue StandardError, LoadError
      nil
    end

    def to_project_path(file)
      return unless file
      path = File.expand_path(file)
      path.start_with?("#{ROOT}/") ? path[(ROOT.size + 1)..] : path
    end

    def clean_text(value)
      value.to_s.dup.force_encoding(Encoding::UTF_8).scrub.gsub(/\e\[[\d;]*m/, '')
    end

    # Returns the message in Ruby's format, with the class of the error unless an expectation failed.
    def format_message(error, is_assertion)
      is_assertion ? clean_text(error.message).strip : "#{error.class}: #{clean_text(error.message).strip}"
    end

    def format_trace(message, lines)
      others = Array(lines).reject { |line| line.to_s.start_with?(__FILE__) }
      [message, *others.map { |line| "  #{clean_text(line)}" }].join("\n")
    end
  end

  # Prepended to RSpec::Core::Reporter.
  module RSpecReporter
    def start(*)
      ArgusReporter.start('rspec')
      super
    end

    def example_passed(example)
      argus_add_test(example, 'passed')
      super
    end

    def example_failed(example)
      argus_add_test(example, 'failed', example.execution_result.exception || example.exception)
      super
    end

    def example_pending(example)
      argus_add_test(example, 'skipped')
      super
    end

    def notify_non_example_exception(exception, description)
      ArgusReporter.start('rspec')
      file = ArgusReporter.to_project_path(description.to_s[/\AAn error occurred while loading (.+?\.rb)\./, 1])
      name = file ? '(suite)' : 'outside of examples'
      ArgusReporter.tests << { name: name, filePath: file, status: 'failed', duration: 0, **argus_create_error(exception) }
      super
    end

    def finish
      super
    ensure
      ArgusReporter.write('rspec') { RSpec::Core::Version::STRING }
    end

    private

    def argus_add_test(example, status, error = nil)
      groups = example.example_group.parent_groups.reverse.map { |group| ArgusReporter.clean_text(group.description) }
      seconds = example.execution_result.run_time || 0
      file = ArgusReporter.to_project_path(example.metadata[:rerun_file_path] || example.file_path)
      test = { name: ArgusReporter.clean_text(example.description), status: status, duration: seconds * 1000, suite: groups, filePath: file }
      ArgusReporter.tests << test.merge(argus_create_error(error, example))
    end

    def argus_create_error(error, example = nil)
      return {} unless error
      errors = error.respond_to?(:all_exceptions) ? error.all_exceptions : [error]
      messages = errors.map do |one|
        ArgusReporter.format_message(one, defined?(RSpec::Expectations) && one.is_a?(RSpec::Expectations::ExpectationNotMetError))
      end
      formatter = RSpec.configuration.backtrace_formatter
      lines = formatter.format_backtrace(errors.first.backtrace || [], example ? example.metadata : {})
      { message: messages.join("\n\n"), trace: ArgusReporter.format_trace(messages.join("\n\n"), lines) }
    end
  end

  # Prepended to the singleton class of Minitest, which adds its reporters at the start of a run.
  module MinitestPlugins
    def init_plugins(options)
      super
      ArgusReporter.start('minitest')
      reporter << ArgusReporter.create_minitest_reporter
    end
  end

  def self.create_minitest_reporter
    Class.new(Minitest::AbstractReporter) do
      def record(result)
        failure = result.skipped? ? nil : result.failure
        status = failure ? 'failed' : result.skipped? ? 'skipped' : 'passed'
        owner = result.respond_to?(:klass) ? result.klass : result.class.name
        file = result.respond_to?(:source_location) ? result.source_location.first : nil
        test = {
          # Remove the number that Minitest adds to tests of specs, because it depends on their order in the source.
          name: ArgusReporter.clean_text(result.name).sub(/\Atest_\d{4}_/, ''),
          status: status,
          duration: result.time * 1000,
          suite: owner.to_s.split('::'),
          filePath: ArgusReporter.to_project_path(file)
        }
        ArgusReporter.tests << test.merge(failure ? create_error(result) : {})
      end

      def report
        ArgusReporter.write('minitest') { Minitest::VERSION }
      end

      private

      def create_error(result)
        messages = result.failures.map do |failure|
          cause = failure.respond_to?(:error) ? failure.error : failure
          ArgusReporter.format_message(cause, !failure.is_a?(Minitest::UnexpectedError))
        end
        first = result.failure
        cause = first.respond_to?(:error) ? first.error : first
        lines = Minitest.respond_to?(:filter_backtrace) ? Minitest.filter_backtrace(cause.backtrace || []) : cause.backtrace
        { message: messages.join("\n\n"), trace: ArgusReporter.format_trace(messages.join("\n\n"), lines) }
      end
    end.new
  end

  # Prepended to the class that runs a suite of test-unit.
  module TestUnitMediator
    def run
      ArgusReporter.start('test-unit')
      faults = Hash.new { |all, name| all[name] = [] }
      add_listener(Test::Unit::TestResult::FAULT) { |fault| faults[fault.test_name] << fault }
      add_listener(Test::Unit::TestCase::FINISHED_OBJECT) { |test| argus_add_test(test, faults.delete(test.name) || []) }
      super
    ensure
      # Faults without a test come from the setup or cleanup of a test class.
      faults.each { |name, left| ArgusReporter.tests << { name: name, **argus_create_outcome(left) } }
      # A test that calls `exit` ends the process here, and the tests after it do not run.
      unless $!.is_a?(SystemExit)
        ArgusReporter.write('test-unit') do
          require 'test/unit/version'
          Test::Unit::VERSION
        end
      end
    end

    private

    def argus_add_test(test, faults)
      file, = test.method(test.method_name).source_location
      ArgusReporter.tests << {
        name: ArgusReporter.clean_text(test.method_name),
        suite: test.class.name.to_s.split('::'),
        filePath: ArgusReporter.to_project_path(file),
        duration: test.elapsed_time.to_f * 1000,
        **argus_create_outcome(faults)
      }
    end

    # Ignores notifications, which do not affect the result.
    def argus_create_outcome(faults)
      failed = faults.select { |fault| %w[Failure Error].include?(fault.label) }
      return { status: faults.any? { |fault| fault.label != 'Notification' } ? 'skipped' : 'passed' } if failed.empty?
      message = failed.map { |fault| ArgusReporter.clean_text(fault.message).strip }.join("\n\n")
      { status: 'failed', message: message, trace: ArgusReporter.format_trace(message, failed.first.location) }
    end
  end

  # The trace point runs when the definition of a class or module starts, until all three runners are found. A project
  # may load one runner and run another.
  if FOLDER && Dir.exist?(FOLDER)
    name_of = Module.instance_method(:name)
    hooks = {
      'Minitest' => ->(minitest) { minitest.singleton_class.prepend(MinitestPlugins) },
      'Test::Unit::UI::TestRunnerMediator' => ->(mediator) { mediator.prepend(TestUnitMediator) },
      'RSpec::Core::Reporter' => ->(reporter) { reporter.prepend(RSpecReporter) }
    }
    TracePoint.new(:class) do |point|
      hook = hooks.delete(name_of.bind(point.self).call)
      hook&.call(point.self)
      point.disable if hook && hooks.empty?
    end.enable
  end
end
