import Easel
import EaselListener
import EaselService
import FoundationEssentials
import Glibc

/// The life of the server: it opens its addresses, serves until a signal comes, and ends what it has begun.
struct ServeRun {
  let configuration: ServeConfiguration
  let console: Console
  /// Reads the settings anew.
  let reread: () throws(ServeMistakes) -> ServeConfiguration

  func run() -> ExitStatus {
    let settings = configuration.settings
    for warning in configuration.warnings { console.note("easel: \(warning)") }
    if settings.isUnsafe {
      console.note("easel: Everybody who reaches this server can have any picture made, because unsafe is set.")
    }
    Self.raiseDescriptorLimit()
    // Threads that start later inherit that these signals are blocked, so the pipe comes first.
    guard let signals = SignalPipe([SIGTERM, SIGINT, SIGHUP]) else {
      console.note("easel: A pipe for signals could not be opened.")
      return .failure
    }
    do {
      return try serve(settings, signals)
    } catch {
      let message = (error as? ImageError)?.message ?? "\(error)"
      console.note("easel: \(printable(message))")
      return .failure
    }
  }

  private func serve(_ settings: ServeSettings, _ signals: SignalPipe) throws -> ExitStatus {
    let current = Locked<ServeHandler?>(nil)
    let lasting = try ServePlan.Lasting(
      settings, admission: { current.withLock { $0 }?.service.admissionSnapshot ?? AdmissionSnapshot() },
      note: { [console] in console.note("easel: \(printable($0))") })
    let plan = ServePlan(settings: settings)
    let handler = ServeHandler(try plan.service(lasting), settings)
    current.withLock { $0 = handler }
    let listener = try Listener(
      on: plan.addresses(), settings: settings.listener, handler: handler, sending: lasting.metrics)
    var metrics: Listener?
    if let address = plan.metricsAddress {
      var few = ListenerSettings()
      few.connections = 64
      metrics = try Listener(
        on: [address], settings: few,
        handler: MetricsEndpoint(lasting.metrics) {
          let counts = listener.counts
          return MetricsEndpoint.Refusals(counts.refused, crowded: counts.crowded)
        })
    }
    for address in listener.addresses { console.result("listening on \(Self.spelling(address))") }
    if let metrics { console.result("metrics on \(Self.spelling(metrics.addresses[0]))") }
    defer { lasting.log?.close() }
    let watch = MemoryWatch(lasting.memory)
    watch.start()
    defer { watch.stop() }
    // The request log writes to the same place, line by line.
    var status = settings.log == .off && console.showsProgress ? ServeStatus(lasting.metrics) : nil
    while true {
      switch nextSignal(signals, &status) {
      case SIGHUP: reload(handler, lasting)
      case SIGTERM, SIGINT:
        end(listener, handler, signals)
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

  /// Reads the settings anew, and keeps the present ones if something in them is wrong.
  ///
  /// Addresses, caches and the log stay as they are until the next start.
  private func reload(_ handler: ServeHandler, _ lasting: ServePlan.Lasting) {
    do throws(ServeMistakes) {
      let next = try reread()
      for warning in next.warnings { console.note("easel: \(warning)") }
      do throws(ImageError) {
        handler.replace(try ServePlan(settings: next.settings).service(lasting), next.settings)
        console.note("easel: The settings were read anew.")
      } catch {
        console.note("easel: \(printable(error.message)) The settings stay as they were.")
      }
    } catch {
      for message in error.messages { console.note("easel: \(message)") }
      console.note("easel: The settings stay as they were.")
    }
  }

  /// Says that the server goes, then takes no more connections, then finishes what has begun; a second signal ends it
  /// now.
  private func end(_ listener: Listener, _ handler: ServeHandler, _ signals: SignalPipe) {
    let settings = configuration.settings
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
    }
  }

  /// Each connection takes a descriptor, so the process takes as many as it may.
  private static func raiseDescriptorLimit() {
    var limit = rlimit()
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    guard getrlimit(resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
    limit.rlim_cur = limit.rlim_max
    _ = setrlimit(resource, &limit)
  }
}
