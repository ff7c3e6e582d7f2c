import Testing

@testable import EaselWorkers

/// The order of the queue of workers under loads whose work is done one job after another.
struct WorkQueueTests {
  /// Clients each of which adds its next job as soon as its last one is done.
  @Test(arguments: [8, 40]) func clientsThatWaitForTheirAnswersAreServedInTurn(clients: Int) {
    var queue = WorkQueue(order: .firstInFirstOut)
    var served = [Int](repeating: 0, count: clients)
    var owners: [ObjectIdentifier: Int] = [:]
    func job(of client: Int) -> WorkQueue.Job {
      let job = WorkQueue.Job(nil) { _ in }
      owners[ObjectIdentifier(job)] = client
      return job
    }
    for client in 0..<clients { queue.add(job(of: client), at: .normal) }
    // Kept, because a number of a job that is gone may be given to another.
    var done: [WorkQueue.Job] = []
    for _ in 0..<1000 {
      guard let next = queue.next(), let client = owners[ObjectIdentifier(next)] else { break }
      done.append(next)
      served[client] += 1
      #expect(served[client] <= (served.min() ?? 0) + 1)
      queue.add(job(of: client), at: .normal)
    }
    #expect(done.count == 1000 && queue.count == clients)
  }

  @Test func aBurstIsServedInItsOrderAndAnUrgentJobAtOnce() {
    var queue = WorkQueue(order: .firstInFirstOut)
    let burst = (0..<1000).map { _ in WorkQueue.Job(nil) { _ in } }
    for job in burst { queue.add(job, at: .low) }
    for job in burst.prefix(400) { #expect(queue.next() === job) }
    let urgent = WorkQueue.Job(nil) { _ in }
    queue.add(urgent, at: .high)
    #expect(queue.next() === urgent)
    #expect(queue.next() === burst[400] && queue.count == 599)
  }
}
