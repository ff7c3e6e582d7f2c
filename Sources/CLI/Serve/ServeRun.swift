import Easel
import EaselListener
import EaselService
import EaselSupport
import FoundationEssentials
import Glibc

/// The life of the server: it opens its addresses, serves until a signal comes, and ends what it has begun.
struct ServeRun {
  let configuration: ServeConfiguration
  let console: Console
  /// Reads the settings anew, to replace the present ones.
  let reread: (_ present: ServeConfiguration) throws(ServeMistakes) -> ServeConfiguration

  func run() -> ExitStatus {
    let settings = configuration.settings
    for warning in configuration.warnings { console.note("easel: \(warning)") }
    if settings.isUnsafe {
      console.note("easel: Everybody who reaches this server can have any picture made, because unsafe is set.")
    }
    let descriptors = DescriptorLimit.raise()
    // Threads that start later inherit that these signals are blocked, so the pipe comes first.
    guard let signals = SignalPipe([SIGTERM, SIGINT, SIGHUP]) else {
      console.note("easel: A pipe for signals could not be opened.")
      return .failure
    }
    // The timers of the runtime open files at their first use, and end the process if they find none.
    if descriptors < Self.fewDescriptors { waitFor { _ = try? await Task.sleep(for: .nanoseconds(1)) } }
    do {
      return try serve(settings, signals)
    } catch {
      let message = (error as? ImageError)?.message ?? "\(error)"
      console.note("easel: \(printable(message))")
      return .failure
    }
  }

  private func serve(_ settings: ServeSettings, _ signals: SignalPipe) throws -> ExitStatus {
    let lasting = try ServePlan.Lasting(settings) { [console] in console.note("easel: \(printable($0))") }
    let plan = ServePlan(settings: settings)
    let handler = ServeHandler(try plan.service(lasting), settings)
    let listener = try Listener(
      on: plan.addresses(), settings: settings.listening, handler: handler, sending: lasting.metrics)
    var metrics: Listener?
    if let address = plan.metricsAddress {
      var few = ListenerSettings()
      (few.connections, few.briefConnections) = (64, 1)
      few.head.methods.append("POST")
      metrics = try Listener(
        on: [address], settings: few,
        handler: MetricsEndpoint(
          lasting.metrics,
          refusals: {
            let counts = listener.counts
            return MetricsEndpoint.Refusals(counts.refused, crowded: counts.crowded, open: counts.open)
          },
          purge: { await handler.service.carryOut($0) }))
    }
    let connections = listener.mostConnections
    if let warning = DescriptorLimit.warning(connections: connections, wanted: settings.listener.connections) {
      console.note("easel: \(warning)")
    }
    for address in listener.addresses { console.result("listening on \(Self.spelling(address))") }
    if let metrics { console.result("metrics on \(Self.spelling(metrics.addresses[0]))") }
    defer { lasting.log.close() }
    lasting.traces?.start()
    defer { lasting.traces?.stop() }
    let watch = MemoryWatch(lasting.memory)
    watch.start()
    defer { watch.stop() }
    var present = configuration
    while true {
      // The request log writes to the same place, line by line.
      var status = present.settings.log == .off && console.showsProgress ? ServeStatus(lasting.metrics) : nil
      switch nextSignal(signals, &status) {
      case SIGHUP:
        guard let next = next(after: present) else { continue }
        guard bringIntoForce(next, handler, lasting) else { continue }
        listener.follow(next.settings.listening)
        present = next
      case SIGTERM, SIGINT:
        end(listener, handler, signals, present.settings)
        metrics?.stopNow()
        return .success
      default: continue
      }
    }
  }

  /// Waits for a signal, and shows meanwhile what the server does.
  private func nextSignal(_ signals: SignalPipe, _ status: inout ServeStatus?) -> Int32 {
    while let line = status?.line() {
      console.progress([line])
      if let signal = signals.next(within: .seconds(1)) {
        console.progress([])
        return signal
      }
    }
    return signals.next()
  }

  private static func spelling(_ address: ListenerAddress) -> String {
    if case .tcp = address { "http://\(address)" } else { "\(address)" }
  }

  /// Reads the settings anew; nil if something in them is wrong.
  private func next(after present: ServeConfiguration) -> ServeConfiguration? {
    do throws(ServeMistakes) {
      let next = try reread(present)
      for warning in next.warnings where !present.warnings.contains(warning) { console.note("easel: \(warning)") }
      return next
    } catch {
      for message in error.messages { console.note("easel: \(message)") }
      console.note("easel: The settings stay as they were.")
      return nil
    }
  }

  /// Serves all that comes after with other settings; returns false if they cannot be carried out.
  private func bringIntoForce(
    _ next: ServeConfiguration, _ handler: ServeHandler, _ lasting: ServePlan.Lasting
  ) -> Bool {
    let plan = ServePlan(settings: next.settings)
    do throws(ImageError) {
      // Before anything is changed.
      try plan.check()
      lasting.follow(next.settings)
      handler.replace(try plan.service(lasting), next.settings)
    } catch {
      console.note("easel: \(printable(error.message)) The settings stay as they were.")
      return false
    }
    console.note("easel: The settings were read anew.")
    for name in next.awaitingRestart {
      console.note("easel: The new value of \(name) is in force only after a restart.")
    }
    return true
  }

  /// Says that the server goes, then takes no more connections, then finishes what has begun; a second signal ends it
  /// now.
  private func end(
    _ listener: Listener, _ handler: ServeHandler, _ signals: SignalPipe, _ settings: ServeSettings
  ) {
    handler.service.beginDraining()
    PlainThread.start {
      while true {
        guard [SIGTERM, SIGINT].contains(signals.next()) else { continue }
        listener.stopNow()
        return
      }
    }
    waitFor {
      let waiting = Task { try? await Task.sleep(for: settings.drainDelay) }
      let ending = Task {
        await listener.waitForEnd()
        waiting.cancel()
      }
      await waiting.value
      await listener.drain(within: settings.drainTime)
      await ending.value
      await handler.service.purges.stop()
    }
  }

  /// The descriptors below which none may be left when the first timer is needed.
  private static let fewDescriptors = 1024
}
