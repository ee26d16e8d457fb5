// redis_rate over go-redis: PORT DECISIONS LIMITS, from 64 callers at once, over 10,000 keys. Prints
// seconds and the 50th and 99th percentile of a decision as JSON.
package main

import (
	"context"
	"fmt"
	"log"
	"math/rand"
	"os"
	"sort"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-redis/redis_rate/v10"
	"github.com/redis/go-redis/v9"
)

func main() {
	decisions, _ := strconv.ParseInt(os.Args[2], 10, 64)
	limits, _ := strconv.Atoi(os.Args[3])
	client := redis.NewClient(&redis.Options{Addr: "127.0.0.1:" + os.Args[1], PoolSize: 64})
	limiter := redis_rate.NewLimiter(client)
	ctx := context.Background()
	rate := redis_rate.Limit{Rate: 1000000, Burst: 1000000, Period: time.Hour}

	var left atomic.Int64
	left.Store(decisions)
	var wait sync.WaitGroup
	times := make([][]float64, 64)
	begin := time.Now()
	for i := range times {
		wait.Add(1)
		go func() {
			defer wait.Done()
			random := rand.New(rand.NewSource(int64(i)))
			for left.Add(-1) >= 0 {
				key := random.Intn(10000)
				start := time.Now()
				for l := 0; l < limits; l++ {
					if _, err := limiter.Allow(ctx, fmt.Sprintf("k%d:%d", l, key), rate); err != nil {
						log.Fatal(err)
					}
				}
				times[i] = append(times[i], float64(time.Since(start).Nanoseconds())/1000)
			}
		}()
	}
	wait.Wait()
	seconds := time.Since(begin).Seconds()
	var all []float64
	for _, t := range times {
		all = append(all, t...)
	}
	sort.Float64s(all)
	fmt.Printf("{\"seconds\": %f, \"p50_us\": %f, \"p99_us\": %f}\n",
		seconds, all[len(all)/2], all[len(all)*99/100])
}
