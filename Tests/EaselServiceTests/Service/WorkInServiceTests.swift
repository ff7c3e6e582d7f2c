import EaselSupport
import EaselTestSupport
import EaselTransformers
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselService

/// Admission, metrics and the log as parts of the service.
struct WorkInServiceTests {
  private static let large = WorkCost(nanoseconds: 1_000_000_000)

  private func full(_ change: (inout ImageService.Configuration) -> Void = { _ in }) async throws -> (
    ServiceStudio, [AdmissionPass]
  ) {
    let studio = ServiceStudio {
      $0.admission = AdmissionSettings(processors: 1)
      $0.admission.cheapTime = .zero
      $0.admission.queueLength = 0
      change(&$0)
    }
    studio.order { $0.format = .png }
    try studio.place()
    return (studio, [try await studio.service.admission.enter(Self.large)])
  }

  @Test func overloadIsSaidWithATimeToComeBack() async throws {
    let (studio, passes) = try await full()
    let answer = await studio.get()
    #expect(answer.status == 503 && answer.headers["Cache-Control"] == "no-store")
    #expect(answer.headers["Retry-After"] == "1")
    #expect(answer.text.hasPrefix("There is too much other work, which takes about 1 s. Try again in 1 s. (request "))
    #expect(studio.atOnce("/health")?.status == 200)
    for pass in passes { pass.leave() }
    #expect(await studio.get().status == 200)
    #expect(studio.service.metricsText.contains("easel_rejected_total{reason=\"queue_full\"} 1"))
    #expect(studio.service.metricsText.contains("easel_errors_total{code=\"overloaded\"} 1"))
  }

  /// Loading the original takes from the time of the request, so the queue has only the rest.
  @Test func theQueueIsToldWhenTheRequestEnds() async throws {
    let studio = ServiceStudio {
      $0.requestTime = .seconds(10)
      $0.admission = AdmissionSettings(processors: 1)
      $0.admission.cheapTime = .zero
    }
    studio.order { $0.format = .png }
    try studio.place()
    let pass = try await studio.service.admission.enter(WorkCost(nanoseconds: 1_000_000))
    studio.loader.suspend(ServiceStudio.source)
    let answer = Task { await studio.get() }
    await studio.loader.waitForStart(of: ServiceStudio.source)
    studio.clock.advance(by: .seconds(9))
    studio.loader.resume(ServiceStudio.source)
    // Its request ends in a second, and work that has taken nine goes on for longer.
    #expect(await answer.value.status == 503)
    #expect(studio.service.admissionSnapshot.lanes[.normal]?.refused[.tooLate] == 1)
    pass.leave()
  }

  @Test func hitsNeedNoPlace() async throws {
    let (studio, passes) = try await full()
    for pass in passes { pass.leave() }
    let first = await studio.get()
    let pass = try await studio.service.admission.enter(Self.large)
    #expect(await studio.get().bytes == first.bytes)
    pass.leave()
  }

  @Test func aStalePictureGoesOutUnderOverload() async throws {
    let (studio, passes) = try await full {
      $0.cacheLifetime.timeToLive = 10
      $0.cacheLifetime.staleWhileRevalidate = 0
    }
    for pass in passes { pass.leave() }
    let first = await studio.get()
    studio.clock.advance(by: .seconds(20))
    // The source has another picture, for which there is no room now.
    studio.loader.script(ServiceStudio.source, .body(try ServiceStudio.picture(.jpeg, seed: 9)))
    let pass = try await studio.service.admission.enter(Self.large)
    let stale = await studio.get()
    #expect(stale.status == 200 && stale.bytes == first.bytes)
    pass.leave()
  }

  @Test func workOnASourceOfRefusedWorkIsRefusedBeforeTheSourceIsAsked() async throws {
    let (studio, passes) = try await full()
    studio.order(at: "/small") { ($0.format, $0.quality) = (.png, 0.5) }
    #expect(await studio.get().status == 503)
    let calls = studio.loader.calls(for: ServiceStudio.source).count
    let answer = await studio.get("/small")
    #expect(answer.status == 503 && answer.headers["Retry-After"] == "1")
    #expect(studio.loader.calls(for: ServiceStudio.source).count == calls)
    #expect(studio.service.metricsText.contains("easel_rejected_total{reason=\"queue_full\"} 2"))
    for pass in passes { pass.leave() }
    #expect(await studio.get("/small").status == 200)
  }

  @Test func aRefusalIsForgottenAfterAMinute() async throws {
    let (studio, passes) = try await full()
    #expect(await studio.get().status == 503)
    let calls = studio.loader.calls(for: ServiceStudio.source).count
    studio.clock.advance(by: .seconds(61))
    #expect(await studio.get().status == 503)
    #expect(studio.loader.calls(for: ServiceStudio.source).count == calls + 1)
    for pass in passes { pass.leave() }
  }

  @Test func whatACacheHasIsGivenThoughWorkOnItsSourceIsRefused() async throws {
    let (studio, passes) = try await full {
      $0.cacheLifetime.timeToLive = 10
      $0.cacheLifetime.staleWhileRevalidate = 0
    }
    studio.order(at: "/other") { ($0.format, $0.quality) = (.webp, 0.5) }
    for pass in passes { pass.leave() }
    let first = await studio.get()
    studio.clock.advance(by: .seconds(20))
    let pass = try await studio.service.admission.enter(Self.large)
    studio.loader.script(ServiceStudio.source, .body(try ServiceStudio.picture(.jpeg, seed: 9)))
    #expect(await studio.get("/other").status == 503)
    let stale = await studio.get()
    #expect(stale.status == 200 && stale.bytes == first.bytes)
    pass.leave()
  }

  @Test func whoWantsWhatIsAboutToBeMadeIsNotRefused() async throws {
    let (studio, passes) = try await full { $0.admission.queueLength = 1 }
    studio.order(at: "/other") { ($0.format, $0.quality) = (.webp, 0.5) }
    let first = Task { await studio.get() }
    while studio.service.admission.snapshot.waiting == 0 { await Task.yield() }
    #expect(await studio.get("/other").status == 503)
    let second = Task { await studio.get() }
    while !studio.service.metricsText.contains("easel_in_flight{stage=\"total\"} 2") { await Task.yield() }
    for pass in passes { pass.leave() }
    #expect(await first.value.status == 200)
    #expect(await second.value.status == 200)
  }

  @Test func whoWaitsInTheQueueLeavesItWithTheClient() async throws {
    let (studio, passes) = try await full { $0.admission.queueLength = 5 }
    let client = Task { await studio.get() }
    while studio.service.admission.snapshot.waiting == 0 { await Task.yield() }
    client.cancel()
    #expect(await client.value.status == 499)
    while studio.service.admission.snapshot.waiting > 0 { await Task.yield() }
    for pass in passes { pass.leave() }
    #expect(studio.service.admission.snapshot.running == 0)
  }

  @Test func whatCannotBeDoneInTimeIsRefusedAtOnce() async throws {
    let (studio, passes) = try await full {
      $0.admission.queueLength = 5
      $0.admission.patience = .seconds(1)
    }
    let answer = await studio.get()
    #expect(answer.status == 503 && answer.headers["Retry-After"] == "1")
    #expect(studio.clock.uptime == .zero)
    #expect(studio.service.metricsText.contains("easel_rejected_total{reason=\"too_late\"} 1"))
    for pass in passes { pass.leave() }
  }

  @Test(arguments: [nil, "X-Client"]) func aClientIsAnAddressOrWhatAFieldSays(field: String?) async throws {
    let studio = ServiceStudio {
      $0.admission = AdmissionSettings(processors: 1)
      $0.admission.cheapTime = .zero
      $0.clientHeader = field
    }
    try studio.place()
    let pass = try await studio.service.admission.enter(Self.large)
    let clients = [("/a", "192.0.2.1"), ("/b", "192.0.2.1"), ("/c", "192.0.2.2")]
    let answers = clients.map { path, address in
      studio.order(at: path) {
        $0.format = .png
        $0.cacheBuster = path
      }
      let request = ServiceRequest(target: path, headers: ["x-client": "one"], clientAddress: address)
      return Task { await studio.service.response(to: request) }
    }
    while studio.service.admissionSnapshot.waiting < 3 { await Task.yield() }
    #expect(studio.service.admissionSnapshot.waitingClients == (field == nil ? 2 : 1))
    #expect(studio.service.admission.wantedCount == 3)
    pass.leave()
    for answer in answers { #expect(await answer.value.status == 200) }
    #expect(studio.service.admission.wantedCount == 0)
  }

  /// A picture that one client has asked for after many others is made for another client as if it had asked first.
  @Test func sharedWorkCountsForTheClientWhoIsServedFirst() async throws {
    let studio = ServiceStudio {
      $0.admission = AdmissionSettings(processors: 1)
      $0.admission.cheapTime = .zero
    }
    try studio.place()
    let pass = try await studio.service.admission.enter(Self.large)
    func get(_ path: String, by address: String) -> Task<ServiceResponse, Never> {
      let request = ServiceRequest(target: path, clientAddress: address)
      return Task { await studio.service.response(to: request) }
    }
    var answers: [Task<ServiceResponse, Never>] = []
    for number in 0..<5 {
      studio.order(at: "/\(number)") {
        $0.format = .png
        $0.cacheBuster = "\(number)"
      }
      answers.append(get("/\(number)", by: "192.0.2.1"))
      while studio.service.admissionSnapshot.waiting <= number { await Task.yield() }
    }
    #expect(studio.service.admissionSnapshot.waitingClients == 1)
    answers.append(get("/4", by: "192.0.2.2"))
    while studio.service.admissionSnapshot.waitingClients < 2 { await Task.yield() }
    #expect(studio.service.admissionSnapshot.waiting == 5 && studio.service.admission.wantedCount == 5)
    pass.leave()
    for answer in answers { #expect(await answer.value.status == 200) }
    #expect(studio.count("encoded") == 5)
    #expect(studio.service.admission.wantedCount == 0)
  }

  @Test func theMetricsCountWhatHappened() async throws {
    let studio = ServiceStudio()
    studio.order { $0.format = .png }
    try studio.place()
    _ = await studio.get()
    _ = studio.atOnce()
    _ = await studio.get("/unknown")
    _ = studio.atOnce("/health")
    let text = studio.service.metricsText
    for line in [
      "easel_requests_total{status=\"200\",route=\"picture\"} 2",
      "easel_requests_total{status=\"403\",route=\"picture\"} 1",
      "easel_requests_total{status=\"200\",route=\"health\"} 1", "easel_cache_total{layer=\"memory\",result=\"hit\"} 1",
      "easel_request_seconds_count{stage=\"encode\"} 1", "easel_request_seconds_count{stage=\"decode\"} 1",
      "easel_request_seconds_count{stage=\"queue\"} 1", "easel_in_flight{stage=\"total\"} 0",
      "easel_flight_total{role=\"leader\",outcome=\"success\"} 1",
    ] { #expect(text.contains(line), "\(line)") }
  }

  @Test func theLogSaysWhatHappenedAndNoSecrets() async throws {
    let lines = Locked("")
    let log = RequestLog(.text) { text in lines.withLock { $0 += text } }
    let studio = ServiceStudio { $0.log = log }
    let path = "/SECRETSIGNATURE/p?token=geheim"
    studio.order(at: "/SECRETSIGNATURE/p") { $0.source = "https://host/a.jpg?key=geheim" }
    try studio.place(at: URL(string: "https://host/a.jpg?key=geheim")!)
    let request = ServiceRequest(target: path, headers: ["X-Request-ID": "r1"], clientAddress: "10.0.0.1")
    _ = await studio.service.response(to: request)
    _ = await studio.service.response(to: request)
    studio.order(at: "/broken") { $0.source = "https://broken/a.jpg" }
    studio.loader.script(URL(string: "https://broken/a.jpg")!, .status(500))
    _ = await studio.get("/broken")
    _ = await studio.get("/no\npe")
    #expect(log.close())
    let text = lines.withLock { $0 }
    #expect(text.split(separator: "\n").count == 4)
    #expect(text.contains("status=502") && text.contains("source=broken error=badStatus"))
    #expect(text.contains("id=r1 remote=10.0.0.1 method=GET route=picture status=200"))
    #expect(text.contains("cache=miss source=host") && text.contains("cache=memory source=host"))
    #expect(!text.contains("geheim") && !text.contains("SECRET"))
  }
}
