// rate-limiter-flexible over ioredis: PORT DECISIONS LIMITS, from 64 callers at once, over 10,000
// keys. Prints seconds and the 50th and 99th percentile of a decision as JSON.
import Redis from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';

const [port, decisions, limits] = process.argv.slice(2).map(Number);
const redis = new Redis({ host: '127.0.0.1', port });
const limiters = Array.from({ length: limits }, (_, i) => new RateLimiterRedis({
  storeClient: redis, keyPrefix: `flexible${i}`, points: 1000000 + i, duration: 3600 + i,
}));

let left = decisions;
const times = [];
async function caller(seed) {
  let key = seed;
  while (left-- > 0) {
    key = (key * 1103515245 + 12345) % 2147483648;
    const begin = process.hrtime.bigint();
    await Promise.all(limiters.map((l) => l.consume(`k${key % 10000}`)));
    times.push(Number(process.hrtime.bigint() - begin) / 1000);
  }
}
const begin = process.hrtime.bigint();
await Promise.all(Array.from({ length: 64 }, (_, i) => caller(i + 1)));
const seconds = Number(process.hrtime.bigint() - begin) / 1e9;
times.sort((a, b) => a - b);
console.log(JSON.stringify({
  seconds, p50_us: times[times.length >> 1], p99_us: times[Math.floor(times.length * 0.99)],
}));
redis.disconnect();
